// All tests of the pages in one process: they share the runs and the browser.
import './run_charts.mjs';
import './run_words.mjs';
import './run_controls.mjs';
import './motion.mjs';
import './files.mjs';
import './control.mjs';
import './compare.mjs';
import './served.mjs';
import './safety.mjs';
