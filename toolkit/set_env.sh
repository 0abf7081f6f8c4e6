# SPDX-License-Identifier: Apache-2.0
# Source this file, in bash or zsh, to build and run programs against this tree.
# Shells that cannot tell where a sourced file lies can use: eval "$(aclhost env)"

if [ -n "${BASH_VERSION-}" ]; then
  _aclhost_file=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION-}" ]; then
  eval '_aclhost_file=${(%):-%x}'  # other shells cannot even parse this
else
  _aclhost_file=
fi

_aclhost_prepend() {  # VARIABLE DIRECTORY: puts it in front, once
  eval "_aclhost_old=\${$1-}"
  case ":$_aclhost_old:" in
    *":$2:"*) ;;
    *) export "$1=$2${_aclhost_old:+:$_aclhost_old}" ;;
  esac
  unset _aclhost_old
}

if [ -n "$_aclhost_file" ]; then
  ASCEND_HOME_PATH=$(cd "$(dirname "$_aclhost_file")" > /dev/null && pwd)
  export ASCEND_HOME_PATH
  export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
  export ASCEND_INSTALL_PATH="$ASCEND_HOME_PATH"
  export ASCEND_CUSTOM_PATH="$ASCEND_HOME_PATH"
  export ASCEND_AICPU_PATH="$ASCEND_HOME_PATH"
  export ASCEND_OPP_PATH="$ASCEND_HOME_PATH/opp"
  _aclhost_prepend LD_LIBRARY_PATH "$ASCEND_HOME_PATH/lib64"
  _aclhost_prepend PATH "$ASCEND_HOME_PATH/bin"
  _aclhost_prepend PYTHONPATH "$ASCEND_HOME_PATH/python/site-packages"
else
  echo 'set_env.sh: use bash or zsh, or eval "$(aclhost env)"' >&2
fi
unset -f _aclhost_prepend
unset _aclhost_file
