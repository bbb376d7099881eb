/** Run by `npm pack` before it packs. */
import { bundleCommand } from './command.ts';
import { ROOT } from './es-modules.ts';

await bundleCommand(`${ROOT}dist`);
