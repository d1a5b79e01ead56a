// The charts of a page as files, for papers and READMEs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rhc {

// How long Chromium may take to draw a page.
inline constexpr double kDrawingSeconds = 300;

// The program that draws them. IoError that says how to get it where there is none.
std::string find_chromium();

// Opens the page in a headless Chromium and saves what it drew as DIRECTORY/NAME.png. Throws
// IoError where there is no Chromium, or it fails, or is not done after so many seconds, and
// InputError where the page is not a file.
std::vector<std::filesystem::path> save_pictures(const std::filesystem::path& page,
                                                 const std::filesystem::path& directory,
                                                 double seconds = kDrawingSeconds);

}  // namespace rhc
