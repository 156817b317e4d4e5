// SPDX-License-Identifier: Apache-2.0
// Which tensors of a file become which of a network; no torch is loaded.
#include "tyto/nn/weights.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/backbones.hpp"

namespace tyto {

namespace {

using testing::AllOf;
using testing::HasSubstr;

// Tensors whose only value, whatever their shape, tells their place in the network's list.
TensorFile counted(const Graph& graph) {
  TensorFile file;
  for (const GraphTensor& tensor : graph.tensors) {
    NamedTensor made{tensor.name, tensor.shape, {static_cast<float>(file.tensors.size())}};
    file.tensors.push_back(std::move(made));
  }
  return file;
}

TensorFile counted(const char* network) {
  const BackboneSpec& spec = find_backbone(network);
  return counted(spec.graph({.classes = spec.classes}));
}

void expect_all_in_place(const char* network, const TensorFile& file) {
  const MatchedWeights matched = match_weights(find_backbone(network), file);
  ASSERT_EQ(matched.values.size(), matched.graph.tensors.size());
  for (std::size_t i = 0; i < matched.values.size(); ++i) {
    ASSERT_EQ(matched.values[i][0], static_cast<float>(i)) << matched.graph.tensors[i].name;
  }
}

template <class Change>
TensorFile changed(TensorFile file, const Change& change) {
  for (NamedTensor& tensor : file.tensors) {
    tensor.name = change(tensor.name);
  }
  return file;
}

TensorFile without(TensorFile file, std::string_view part) {
  std::erase_if(file.tensors, [&](const NamedTensor& tensor) {
    return tensor.name.find(part) != std::string::npos;
  });
  return file;
}

std::string said(const char* network, const TensorFile& file) {
  try {
    match_weights(find_backbone(network), file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "matched";
}

TEST(Weights, are_found_under_the_prefixes_of_wrappers) {
  const auto under = [](const std::string& prefix) {
    return [prefix](const std::string& name) { return prefix + name; };
  };
  expect_all_in_place("resnet_small_8", counted("resnet_small_8"));
  for (const char* prefix : {"module.", "backbone.", "_orig_mod.", "module.backbone.",
                             "model.module.", "encoder.", "base_model."}) {
    expect_all_in_place("resnet_small_8", changed(counted("resnet_small_8"), under(prefix)));
  }
}

TEST(Weights, networks_keep_prefixes_of_their_own) {
  expect_all_in_place("timesformer", changed(counted("timesformer"), [](const std::string& name) {
                        return "module." + name;
                      }));
  expect_all_in_place("timesformer", changed(counted("timesformer"), [](const std::string& name) {
                        return name.substr(6);  // saved without its wrapper
                      }));
  expect_all_in_place("tsn_resnet18", changed(counted("tsn_resnet18"), [](const std::string& name) {
                        return "module." + name;
                      }));
}

TEST(Weights, other_spellings_are_the_same) {
  expect_all_in_place("vit_b_16", changed(counted("vit_b_16"), [](std::string name) {
                        for (const auto& [from, to] :
                             {std::pair{"mlp.0.", "mlp.linear_1."}, {"mlp.3.", "mlp.linear_2."}}) {
                          if (const auto at = name.find(from); at != std::string::npos) {
                            name.replace(at, 6, to);
                          }
                        }
                        return name;
                      }));
  expect_all_in_place("tsn_resnet18", changed(counted("tsn_resnet18"), [](const std::string& name) {
                        return name.starts_with("new_fc") ? "base_model.fc" + name.substr(6) : name;
                      }));
}

TEST(Weights, i3d_has_a_second_naming) {
  expect_all_in_place("i3d", changed(counted("i3d"), [](std::string name) {
                        const auto swap = [&](const std::string& from, const std::string& to) {
                          if (const auto at = name.find(from); at != std::string::npos) {
                            name.replace(at, from.size(), to);
                          }
                        };
                        swap(".bn.", ".batch3d.");
                        swap("Conv3d_", "conv3d_");
                        swap("Mixed_", "mixed_");
                        swap("logits.", "conv3d_0c_1x1.");
                        swap(".b0.", ".branch_0.");
                        swap(".b1a.", ".branch_1.0.");
                        swap(".b1b.", ".branch_1.1.");
                        swap(".b2a.", ".branch_2.0.");
                        swap(".b2b.", ".branch_2.1.");
                        swap(".b3b.", ".branch_3.1.");
                        return name;
                      }));
}

TEST(Weights, counters_of_batches_and_projection_heads_count_for_nothing) {
  TensorFile file = counted("dino_vits16");
  file.tensors.push_back({"head.mlp.0.weight", {2048, 384}, {}});
  file.tensors.push_back({"head.last_layer.weight_g", {65536, 1}, {}});
  file.tensors.push_back({"blocks.0.norm1.num_batches_tracked", {}, {7.0F}});
  expect_all_in_place("dino_vits16", file);
}

TEST(Weights, a_head_of_another_width_is_taken_as_it_is) {
  const BackboneSpec& spec = find_backbone("resnet_small_8");
  const TensorFile file = counted(spec.graph({.classes = 5}));
  expect_all_in_place("resnet_small_8", file);
  EXPECT_EQ(match_weights(spec, file).graph.tensors.back().shape, std::vector<Index>{5});
  expect_all_in_place("resnet_small_8", without(file, "fc."));
  // timm's DINO-like files have one too.
  const Graph headed = find_backbone("dino_vits16").graph({.classes = 3});
  EXPECT_EQ(match_weights(find_backbone("dino_vits16"), counted(headed)).graph.tensors.size(),
            headed.tensors.size());
}

TEST(Weights, positions_and_times_are_as_many_as_the_file_has) {
  const BackboneSpec& spec = find_backbone("timesformer");
  expect_all_in_place("timesformer", counted(spec.graph({.classes = 4, .grid = 28, .frames = 16})));
}

TEST(Weights, several_splits_of_a_batch_norm_become_one) {
  const BackboneSpec& spec = find_backbone("x3d_m_multigrid");
  TensorFile file = counted(spec.graph({.classes = spec.classes}));
  const auto find = [&](const std::string& name) {
    return std::find_if(file.tensors.begin(), file.tensors.end(),
                        [&](const NamedTensor& tensor) { return tensor.name == name; });
  };
  auto mean = find("bn1.split_bn.running_mean");
  mean->shape = {48};
  mean->values.assign(48, 0.0F);
  mean->values[3] = 1.0F;
  mean->values[24 + 3] = 5.0F;
  auto variance = find("bn1.split_bn.running_var");
  variance->shape = {48};
  variance->values.assign(48, 2.0F);
  variance->values[24 + 3] = 3.0F;
  const MatchedWeights matched = match_weights(spec, file);
  const auto place = [&](const std::string& name) {
    return at(std::find_if(matched.graph.tensors.begin(), matched.graph.tensors.end(),
                           [&](const GraphTensor& tensor) { return tensor.name == name; }) -
              matched.graph.tensors.begin());
  };
  EXPECT_FLOAT_EQ(matched.values[place("bn1.split_bn.running_mean")][3], 3.0F);
  EXPECT_FLOAT_EQ(matched.values[place("bn1.split_bn.running_var")][3], 2.5F + 4.0F);
  EXPECT_FLOAT_EQ(matched.values[place("bn1.split_bn.running_var")][4], 2.0F);
}

TEST(Weights, either_statistics_of_a_split_norm_serve) {
  const BackboneSpec& spec = find_backbone("x3d_m_multigrid");
  const TensorFile file = without(counted(spec.graph({.classes = 400})), ".split_bn.");
  const MatchedWeights matched = match_weights(spec, file);
  ASSERT_EQ(matched.graph.tensors[6].name, "bn1.split_bn.running_mean");
  EXPECT_EQ(matched.values[6][0], 4.0F);  // of bn1.bn.running_mean
}

TEST(Weights, what_does_not_fit_is_named) {
  TensorFile file = counted("resnet_small_8");
  file.tensors[0].shape = {16, 3, 5, 5};
  file.tensors.push_back({"extra.weight", {1}, {0.0F}});
  const std::string words = said("resnet_small_8", without(file, "layer1.0.bn"));
  EXPECT_THAT(words, AllOf(HasSubstr("not those of \"resnet_small_8\""),
                           HasSubstr("8 missing (layer1.0.bn1.weight, layer1.0.bn1.bias, "
                                     "layer1.0.bn1.running_mean, ...)"),
                           HasSubstr("1 unexpected (extra.weight)"),
                           HasSubstr("1 of another shape (conv1.weight: 16 x 3 x 5 x 5 instead of "
                                     "16 x 3 x 3 x 3)")));
}

TEST(Weights, the_network_that_would_fit_is_named) {
  EXPECT_THAT(said("resnet_small_14", counted("resnet_small_8")),
              HasSubstr("they are those of \"resnet_small_8\""));
}

TEST(Weights, temporal_shifts_are_refused_in_words) {
  EXPECT_THAT(said("tsn_resnet18", changed(counted("tsn_resnet18"),
                                           [](std::string name) {
                                             if (const auto at = name.find(".conv1.weight");
                                                 at != std::string::npos) {
                                               name.insert(at + 6, ".net");
                                             }
                                             return name;
                                           })),
              HasSubstr("temporal shifts"));
}

}  // namespace

}  // namespace tyto
