// SPDX-License-Identifier: Apache-2.0
// Made torchscript_{tensor,tuple,dictionary}.pt: the means of the channels, and twice them less 1.
//   g++ -std=c++17 make_torchscript.cpp -ltorch_cpu -lc10 -o make && ./make
#include <torch/csrc/jit/api/module.h>

int main() {
  const auto save = [](const char* name, const char* answer) {
    torch::jit::Module module(name);
    module.define(std::string("def forward(self, x):\n"
                              "    y = x.flatten(2).mean([2])\n"
                              "    return ") +
                  answer + "\n");
    module.save(std::string("torchscript_") + name + ".pt");
  };
  save("tensor", "y");
  save("tuple", "(y, 2 * y - 1)");
  save("dictionary", "{\"pooled\": y, \"scores\": 2 * y - 1}");
}
