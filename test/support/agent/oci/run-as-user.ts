/**
 * Runs a script in a container of a real runtime, as the user of this process, who may be another one than that of the test. The script
 * comes by standard input, and how it ended goes to standard output, both as JSON. What is left in the temporary folder, the caller removes.
 */
import { json } from 'node:stream/consumers';
import { createBundleMachine, type Script } from './bundle-machine.ts';

// Programs of the agent do not keep a process alive.
const alive = setInterval(() => undefined, 1000);
const script = (await json(process.stdin)) as Script;
process.stdout.write(JSON.stringify(await createBundleMachine().run(script)));
clearInterval(alive);
