#include "rhc/report/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

Json rounded(double value, int digits) {
  if (!std::isfinite(value)) return {};
  return parse_number(fmt::format("{:.{}g}", value, digits)).value();
}

Json rounded(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

Json rounded_rows(const Matrix& values, Index stride) {
  Json rows = Json::array();
  for (Index i = 0; i < values.rows(); ++i) {
    Json row = Json::array();
    for (Index t = 0; t < values.cols(); t += stride) row.push_back(rounded(values(i, t)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string base64(const std::vector<unsigned char>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = static_cast<unsigned>(bytes[i]) << 16;
    if (left > 1) group |= static_cast<unsigned>(bytes[i + 1]) << 8;
    if (left > 2) group |= bytes[i + 2];
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit <= left ? kDigits[(group >> (18 - 6 * digit)) & 63] : '=';
  }
  return text;
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw InputError("this is not base64");
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw InputError("this is not base64");
    bits = bits << 6 | static_cast<unsigned>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  return bytes;
}

std::vector<int> spread(int count, int most) {
  std::vector<int> chosen;
  const int shown = std::min(count, std::max(most, 2));
  for (int i = 0; i < shown; ++i)
    chosen.push_back(1 + (shown > 1 ? static_cast<int>(std::lround(static_cast<double>(i) *
                                                                   (count - 1) / (shown - 1)))
                                    : 0));
  return chosen;
}

}  // namespace rhc
