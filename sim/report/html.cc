#include "sim/report/html.h"

#include <fmt/format.h>

#include "models/status/file.h"
#include "sim/report/page.h"
#include "sim/report/report_json.h"

namespace bw::report {
namespace {

constexpr int kFormat = 1;  // of report.json

// JSON inside <script>: "<" written as an escape, so that no text can end the element.
std::string Embedded(const Json& json) {
  std::string safe;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string MakeHtml(const Json& report) {
  Json steady = report;
  steady.erase("wall_seconds");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>bitwright</title>\n<style>\n{}</style>\n</head>\n<body>\n<main></main>\n"
      "<noscript>This page draws itself with JavaScript; the same data is in report.json and "
      "layers.csv.</noscript>\n"
      "<script id=\"report\" type=\"application/json\">{}</script>\n"
      "<script id=\"wall\" type=\"application/json\">{}</script>\n"
      "<script>\n{}</script>\n</body>\n</html>\n",
      kPageCss, Embedded(steady), Embedded(report.value("wall_seconds", Json::object())), kPageJs);
}

Status WriteHtmlAgain(const std::string& folder) {
  const std::string path = folder + "/report.json";
  BW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Json report = Json::parse(text, nullptr, false);
  if (report.is_discarded() || !report.is_object()) {
    return Error{path, 0, 0, "", "is not JSON", "name the folder that `bitwright run --out` wrote"};
  }
  if (report.value("format", Json()) != kFormat) {
    return Error{
        path,
        0,
        0,
        "format",
        fmt::format("is {}; this program reads {}", report.value("format", Json()).dump(), kFormat),
        "run again"};
  }
  return WriteFile(folder + "/report.html", MakeHtml(report));
}

Status WriteReport(const Json& report, const std::string& folder) {
  const std::string json = report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  BW_RETURN_IF_ERROR(WriteFile(folder + "/report.json", json));
  BW_RETURN_IF_ERROR(WriteFile(folder + "/layers.csv", LayersCsv(report)));
  return WriteFile(folder + "/report.html", MakeHtml(report));
}

}  // namespace bw::report
