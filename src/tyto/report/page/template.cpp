// SPDX-License-Identifier: Apache-2.0
// web/page/report.html as part of the library: a user needs neither Node nor the source tree.
#include "tyto/report/page/page.hpp"

asm(".pushsection .rodata\n"
    ".global tyto_page_begin\n.hidden tyto_page_begin\n"
    ".global tyto_page_end\n.hidden tyto_page_end\n"
    "tyto_page_begin:\n.incbin \"" TYTO_PAGE_FILE
    "\"\n"
    "tyto_page_end:\n.byte 0\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char tyto_page_begin[];
[[gnu::visibility("hidden")]] extern const char tyto_page_end[];
}

namespace tyto {

std::string_view page_template() {
  return {tyto_page_begin, static_cast<std::size_t>(tyto_page_end - tyto_page_begin)};
}

}  // namespace tyto
