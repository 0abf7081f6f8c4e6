# A machine with a compiler and aclhost's toolkit tree: docker build -t aclhost . && docker run aclhost doctor
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends g++ cmake make \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels \
    && ln -s "$(aclhost config --prefix)" /opt/ascend
# Build files and programs that look for a toolkit find the tree of aclhost.
ENV ASCEND_HOME_PATH=/opt/ascend ASCEND_TOOLKIT_HOME=/opt/ascend LD_LIBRARY_PATH=/opt/ascend/lib64
WORKDIR /work
ENTRYPOINT ["aclhost"]
CMD ["--help"]
