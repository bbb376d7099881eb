/** `rollcall` as one executable: what `cli/rollcall.js` is for a package, without a search for a Node. */

import { main } from './main.ts';
import { hushExperiments } from './shell/silence-experimental-warnings.ts';

hushExperiments();
// The reader of the output may close the pipe early, as `head` does. That is not an error.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
