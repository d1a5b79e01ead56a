# Puts style, charts and program into web/page.html, and that file into the library. What is left to
# fill in is a page's title and its data.
set(web ${PROJECT_SOURCE_DIR}/web)
set(scripts dom.js format.js theme.js options.js charts.js controls.js live.js learning.js task_cost.js effort.js calibration.js bands.js
    plane.js prediction.js control.js scenes.js shapes.js motion.js details.js run.js compare_charts.js compare.js figure2.js reproduce.js runs.js start.js)
list(TRANSFORM scripts PREPEND ${web}/)
set(page ${CMAKE_BINARY_DIR}/web/page.html)
add_custom_command(
  OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -DPAGE=${web}/page.html -DSTYLE=${web}/style.css -DECHARTS=${RHC_ECHARTS}
          "-DSCRIPTS=${scripts}" -DOUT=${page} -P ${PROJECT_SOURCE_DIR}/cmake/assemble_page.cmake
  DEPENDS ${web}/page.html ${web}/style.css ${RHC_ECHARTS} ${scripts}
          ${PROJECT_SOURCE_DIR}/cmake/assemble_page.cmake
  VERBATIM)
target_sources(rhc PRIVATE ${page})
set_source_files_properties(report/page_file.cc PROPERTIES OBJECT_DEPENDS ${page}
                            COMPILE_DEFINITIONS RHC_PAGE_FILE="${page}")
