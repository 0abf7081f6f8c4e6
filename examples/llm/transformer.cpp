// SPDX-License-Identifier: Apache-2.0
// A small language model through the C interface: rotary positions, root mean square norms, fused
// attention over a cache of keys and values, weights of eight and four bits. check.py makes the
// model, runs this program and compares with NumPy:
//   python examples/llm/check.py
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "tensor.h"

constexpr int kGroup = 32;  // rows of a weight that share a scale
constexpr double kEpsilon = 1e-5;

// The numbers at the start of the file of weights.
struct Sizes {
  int32_t vocabulary, width, heads, cached_heads, hidden, layers, prompt, generated;
  int64_t head() const { return width / heads; }
  int64_t cached() const { return cached_heads * head(); }
  int64_t positions() const { return prompt + generated; }
};

// The file of weights from start to end.
class Reader {
 public:
  explicit Reader(const char* path) : file_(path, std::ios::binary) {}

  template <typename T>
  T number() {
    T value{};
    file_.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  Tensor tensor(const Shape& shape, aclDataType type) {
    const Tensor result(shape, type);
    std::vector<char> bytes(bytes_of(shape, type));
    file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    result.fill(bytes.data());
    return result;
  }
  bool complete() const { return static_cast<bool>(file_); }

 private:
  std::ifstream file_;
};

// Small integers [outputs, inputs] and a scale for every 32 of them along the inputs.
struct Linear {
  Tensor weight, scale;

  Linear(Reader& file, int64_t outputs, int64_t inputs, aclDataType type)
      : weight(file.tensor({outputs, inputs}, type).transposed()),
        scale(file.tensor({outputs, inputs / kGroup}, ACL_FLOAT16).transposed()) {}

  void operator()(Queue& queue, const Tensor& x, const Tensor& y) const {
    const aclTensor* none = nullptr;
    RUN(queue, aclnnWeightQuantBatchMatmulV2, x.in(), weight.in(), scale.in(), none, none, none,
        none, kGroup, y.in());
  }
};

struct Layer {
  Tensor attention_norm, feed_norm;
  Linear query, key, value, output, gate_and_up, down;
  Tensor keys, values;  // the cache: [positions, heads * head]

  Layer(Reader& file, const Sizes& sizes)
      : attention_norm(file.tensor({sizes.width}, ACL_FLOAT16)),
        feed_norm(file.tensor({sizes.width}, ACL_FLOAT16)),
        query(file, sizes.width, sizes.width, ACL_INT8),
        key(file, sizes.cached(), sizes.width, ACL_INT8),
        value(file, sizes.cached(), sizes.width, ACL_INT8),
        output(file, sizes.width, sizes.width, ACL_INT8),
        gate_and_up(file, 2 * sizes.hidden, sizes.width, ACL_INT4),
        down(file, sizes.width, sizes.hidden, ACL_INT4),
        keys({sizes.positions(), sizes.cached()}, ACL_FLOAT16),
        values({sizes.positions(), sizes.cached()}, ACL_FLOAT16) {}
};

struct Model {
  Tensor tokens, embedding, head, cosines, sines, last_norm;
  std::vector<Layer> layers;

  Model(Reader& file, const Sizes& sizes)
      : tokens(file.tensor({sizes.prompt}, ACL_INT64)),
        embedding(file.tensor({sizes.vocabulary, sizes.width}, ACL_FLOAT16)),
        head(file.tensor({sizes.vocabulary, sizes.width}, ACL_FLOAT16)),
        cosines(file.tensor({sizes.positions(), sizes.head()}, ACL_FLOAT16)),
        sines(file.tensor({sizes.positions(), sizes.head()}, ACL_FLOAT16)),
        last_norm(file.tensor({sizes.width}, ACL_FLOAT16)) {
    for (int i = 0; i < sizes.layers; ++i) layers.emplace_back(file, sizes);
  }
};

// Intermediate results for a number of tokens.
struct Activations {
  int64_t count;
  Tensor x, sum, normed, rstd, query, key, turned, attended, added, gated, fed, mask;

  Activations(int64_t tokens, const Sizes& s)
      : count(tokens),
        x({tokens, s.width}, ACL_FLOAT16),
        sum({tokens, s.width}, ACL_FLOAT16),
        normed({tokens, s.width}, ACL_FLOAT16),
        rstd({tokens, 1}, ACL_FLOAT),
        query({tokens, s.width}, ACL_FLOAT16),
        key({tokens, s.cached()}, ACL_FLOAT16),
        turned({tokens, s.width}, ACL_FLOAT16),
        attended({tokens, s.width}, ACL_FLOAT16),
        added({tokens, s.width}, ACL_FLOAT16),
        gated({tokens, 2 * s.hidden}, ACL_FLOAT16),
        fed({tokens, s.hidden}, ACL_FLOAT16),
        mask({tokens, tokens}, ACL_BOOL) {
    std::vector<char> hidden(static_cast<size_t>(tokens * tokens));
    for (int64_t i = 0; i < tokens; ++i) {
      for (int64_t k = i + 1; k < tokens; ++k) hidden[static_cast<size_t>(i * tokens + k)] = 1;
    }
    mask.fill(hidden.data());
  }
};

class Transformer {
 public:
  Transformer(const Sizes& sizes, const Model& model, aclrtStream stream)
      : sizes_(sizes), model_(model), queue_(stream), alpha_(aclCreateScalar(&one_, ACL_FLOAT)) {}
  ~Transformer() { aclDestroyScalar(alpha_); }
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  // Logits of the token behind the given ones, and the likeliest, which it waits for.
  void step(const Tensor& tokens, int64_t position, Activations& a, const Tensor& logits,
            const Tensor& next) {
    RUN(queue_, aclnnEmbedding, model_.embedding.in(), tokens.in(), a.x.in());
    for (const Layer& layer : model_.layers) {
      norm(a.x, layer.attention_norm, a);
      attend(layer, position, a);
      RUN(queue_, aclnnAddRmsNorm, a.x.in(), a.added.in(), layer.feed_norm.in(), kEpsilon,
          a.normed.out(), a.rstd.out(), a.sum.out());
      feed(layer, a);
    }
    norm(a.x, model_.last_norm, a);
    RUN(queue_, aclnnMatmul, a.normed.rows(a.count - 1, {1, sizes_.width}).in(),
        model_.head.transposed().in(), logits.out(), int8_t{0});
    RUN(queue_, aclnnArgMax, logits.in(), int64_t{-1}, false, next.out());
    queue_.wait();
  }

 private:
  void norm(const Tensor& x, const Tensor& gamma, Activations& a) {
    RUN(queue_, aclnnRmsNorm, x.in(), gamma.in(), kEpsilon, a.normed.in(), a.rstd.in());
  }

  // Turns pairs of every head by the angles of the positions.
  void turn(const Tensor& x, int64_t position, int64_t count, const Tensor& y) {
    const Shape angles = {1, count, 1, sizes_.head()};
    RUN(queue_, aclnnRotaryPositionEmbedding, x.in(), model_.cosines.rows(position, angles).in(),
        model_.sines.rows(position, angles).in(), int64_t{0}, y.out());
  }

  void attend(const Layer& layer, int64_t position, Activations& a) {
    const Shape queries = {1, a.count, sizes_.heads, sizes_.head()};
    const Shape fresh = {1, a.count, sizes_.cached_heads, sizes_.head()};
    layer.query(queue_, a.normed, a.query);
    layer.key(queue_, a.normed, a.key);
    layer.value(queue_, a.normed, layer.values.rows(position, {a.count, sizes_.cached()}));
    turn(a.query.rows(0, queries), position, a.count, a.turned.rows(0, queries));
    turn(a.key.rows(0, fresh), position, a.count, layer.keys.rows(position, fresh));
    look_back(layer, position + a.count, a);
    layer.output(queue_, a.attended, a.added);
  }

  void look_back(const Layer& layer, int64_t known, Activations& a) {
    const Shape queries = {1, a.count, sizes_.heads, sizes_.head()};
    const Shape cached = {1, known, sizes_.cached_heads, sizes_.head()};
    const aclTensorList* keys = layer.keys.rows(0, cached).list();
    const aclTensorList* values = layer.values.rows(0, cached).list();
    const aclTensor* none = nullptr;
    const aclIntArray* all = nullptr;
    const aclTensor* mask = a.count > 1 ? a.mask.in() : nullptr;
    char layout[] = "BSND";
    const double scale = 1.0 / std::sqrt(static_cast<double>(sizes_.head()));
    const int64_t far = 65535, zero = 0;
    RUN(queue_, aclnnFusedInferAttentionScoreV2, a.turned.rows(0, queries).in(), keys, values, none,
        mask, all, all, none, none, none, none, none, none, none, none, none, none, none, none,
        none, none, none, none, all, int64_t{sizes_.heads}, scale, far, far, layout,
        int64_t{sizes_.cached_heads}, zero, zero, zero, zero, false, zero, zero,
        a.attended.rows(0, queries).in(), none);
    check(aclDestroyTensorList(keys), "aclDestroyTensorList");
    check(aclDestroyTensorList(values), "aclDestroyTensorList");
  }

  void feed(const Layer& layer, Activations& a) {
    layer.gate_and_up(queue_, a.normed, a.gated);
    RUN(queue_, aclnnSwiGlu, a.gated.in(), int64_t{-1}, a.fed.in());
    layer.down(queue_, a.fed, a.added);
    RUN(queue_, aclnnAdd, a.sum.in(), a.added.in(), alpha_, a.x.out());
  }

  float one_ = 1.0f;
  const Sizes& sizes_;
  const Model& model_;
  Queue queue_;
  aclScalar* alpha_;
};

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "use: transformer MODEL LOGITS\n");
    return 2;
  }
  const Device device;
  Reader file(argv[1]);
  const Sizes sizes = file.number<Sizes>();
  if (!file.complete()) {
    std::fprintf(stderr, "%s is no model of check.py\n", argv[1]);
    return 1;
  }
  const Model model(file, sizes);
  if (!file.complete()) {
    std::fprintf(stderr, "%s ends too early\n", argv[1]);
    return 1;
  }
  Transformer transformer(sizes, model, device.stream);
  Activations prompt(sizes.prompt, sizes), single(1, sizes);
  const Tensor logits({1, sizes.vocabulary}, ACL_FLOAT16), next({1}, ACL_INT64);
  std::ofstream results(argv[2], std::ios::binary);
  for (int i = 0; i < sizes.generated; ++i) {
    if (i == 0) {
      transformer.step(model.tokens, 0, prompt, logits, next);
    } else {
      transformer.step(next, sizes.prompt + i - 1, single, logits, next);
    }
    const auto row = logits.to_host<uint16_t>();
    results.write(reinterpret_cast<const char*>(row.data()),
                  static_cast<std::streamsize>(row.size() * sizeof(uint16_t)));
    std::printf("%lld\n", static_cast<long long>(next.to_host<int64_t>()[0]));
  }
  return 0;
}
