// The charts of a page as files, for papers and READMEs.
#pragma once

#include <filesystem>
#include <vector>

namespace rhc {

// Opens the page in a headless Chromium and saves what it drew as DIRECTORY/NAME.png. Throws
// IoError where there is no Chromium, or it fails.
std::vector<std::filesystem::path> save_pictures(const std::filesystem::path& page,
                                                 const std::filesystem::path& directory);

}  // namespace rhc
