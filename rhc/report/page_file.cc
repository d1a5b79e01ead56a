#include "rhc/report/page_file.h"

#include <cstddef>

#include "rhc/core/embed.h"

#ifdef RHC_PAGE_FILE
RHC_EMBED(rhc_page, RHC_PAGE_FILE);
#endif

namespace rhc {

std::string_view page_file() {
#ifdef RHC_PAGE_FILE
  return {rhc_page_begin, static_cast<std::size_t>(rhc_page_end - rhc_page_begin)};
#else
  return {};
#endif
}

}  // namespace rhc
