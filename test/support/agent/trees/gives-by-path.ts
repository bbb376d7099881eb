/** What an agent must not be: one that gives the trees of volumes to their groups by a walk by path. Loaded before the agent by `--import`. */
import { registerHooks } from 'node:module';

const SAFE = '/agent/adapters/linux/trees/give-tree.ts';
const WEAK = `export { giveByPath as giveTree } from '${new URL('weak-walks.ts', import.meta.url).href}';`;

registerHooks({
  load: (url, context, next) =>
    url.endsWith(SAFE) ? { format: 'module', source: WEAK, shortCircuit: true } : next(url, context),
});
