#include "rhc/format/json_checksum.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { check_seal(JsonReader(text, "file")); });
}

Json some_json() {
  return {{"a", 0.1}, {"b", {1, 2, -0.0}}, {"path", "r\xff/x"}, {"nothing", nullptr}};
}

TEST(JsonChecksum, FitsWhateverWasWritten) {
  Json json = some_json();
  seal(json);
  EXPECT_EQ(refusal(dump_any(json, 2)), "");
  EXPECT_EQ(refusal(dump_any(json)), "") << "blanks do not count";
}

TEST(JsonChecksum, KnowsEveryChangedCharacter) {
  Json json = some_json();
  seal(json);
  const std::string text = dump_any(json);
  int noticed = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '7' ? '8' : '7';
    noticed += refusal(other).empty() ? 0 : 1;
  }
  // Where its own key is changed, it has no checksum at all.
  EXPECT_GE(noticed,
            static_cast<int>(text.size()) - static_cast<int>(std::string("checksum").size()));
}

TEST(JsonChecksum, AsksForNoneOfAnOldFile) {
  EXPECT_EQ(refusal(some_json().dump(-1, ' ', true, Json::error_handler_t::replace)), "");
}

TEST(JsonChecksum, RefusesWhatIsNone) {
  const JsonReader reader("{}", "file");
  EXPECT_EQ(checksum_of(reader, Json("00ff00ff")), 0x00ff00ffu);
  for (const Json& text : {Json("00ff00f"), Json("00ff00fg"), Json(7), Json()})
    EXPECT_EQ(message_of<InputError>([&] { checksum_of(reader, text); }),
              "file: a checksum must be eight hexadecimal digits");
}

}  // namespace
}  // namespace rhc
