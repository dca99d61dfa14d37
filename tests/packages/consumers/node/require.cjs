const governor = require('compaction-governor');
const { talk } = require('./talk.cjs');

talk(governor).then(console.log);
