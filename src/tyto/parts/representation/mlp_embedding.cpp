// SPDX-License-Identifier: Apache-2.0
// What the output layer of the network `mlp` sees, for parts that want learned features.
#include "tyto/parts/registry.hpp"

namespace tyto {

PartSpec mlp_spec();

namespace {

class MlpEmbedding final : public Part, public Representation {
 public:
  explicit MlpEmbedding(std::unique_ptr<Part> network)
      : owned_(std::move(network)), network_(dynamic_cast<Classifier*>(owned_.get())) {
    TYTO_ASSERT(network_ != nullptr);
  }

  bool adapt(const Experience& experience, Work& work) override {
    network_->learn(experience, work);
    const std::vector<Index> rows = experience.labelled(Role::fit);
    if (rows.empty()) {
      return false;
    }
    width_ = embedded(experience.features(Rows(rows).first(1))).cols();
    return true;  // every lesson trains the network on
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override {
    if (width_ == 0) {
      throw Error(ErrorKind::state,
                  "mlp_embedding was asked for features before it has learned any class");
    }
    return rows.rows() == 0 ? Matrix(0, width_) : embedded(rows);
  }

  void save(State& state) const override {
    state.set("width", std::int64_t{width_});
    owned_->save(state.make_child("network"));
  }

  void load(const State& state, const Shelf& shelf) override {
    width_ = static_cast<Index>(state.get<std::int64_t>("width"));
    owned_->load(state.child("network"), shelf);
  }

 private:
  [[nodiscard]] Matrix embedded(const MatrixView& rows) const {
    Evidence evidence;  // a network looks at the features alone
    evidence.features = rows;
    network_->classify(evidence);
    return std::move(evidence.embedding);
  }

  std::unique_ptr<Part> owned_;
  Classifier* network_;
  Index width_ = 0;
};

}  // namespace

PartSpec mlp_embedding_spec() {
  PartSpec spec = mlp_spec();
  spec.make = [make = spec.make](const ConfigNode& options, std::string_view path) {
    return std::make_unique<MlpEmbedding>(make(options, path));
  };
  spec.name = "mlp_embedding";
  spec.slots = {Slot::representation};
  spec.summary =
      "last hidden layer of the network mlp, trained on at every lesson; all parts below then "
      "start "
      "again from the memory, which should be unlimited";
  spec.objective.clear();
  return spec;
}

}  // namespace tyto
