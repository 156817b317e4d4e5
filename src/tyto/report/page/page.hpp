// SPDX-License-Identifier: Apache-2.0
// A report page: one HTML file that holds the app (web/) and the data of one or several runs.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tyto/core/progress.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// The app, with kPagePlace where the data go.
std::string_view page_template();

constexpr std::string_view kPageMark = R"(<script id="data" type="application/octet-stream">)";
constexpr std::string_view kPagePlace = "TYTO_DATA";

// What web/src/data.ts calls a Page. The same source, the same value.
nlohmann::ordered_json page_json(const PageSource& source, Progress& progress);

// As text, packed by gzip: what the page holds, and what a live one asks for. Bytes that are not
// UTF-8 become U+FFFD.
std::string page_data(const PageSource& source, Progress& progress);

// The whole file.
std::string page_html(std::string_view data);

// Is this the text of a report page?
bool is_page(std::string_view html);

}  // namespace tyto
