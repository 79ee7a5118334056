// What the pages of results do better with a script. Without one they are tables, radio buttons and drawings.

import "./matrix.js";
import "./player.js";
import "./chart.js";
import "./copy.js";
import "./paper.js";
