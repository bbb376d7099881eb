/**
 * What an agent must not be: one that prints text as it came. Loaded before the agent by `--import`, it puts functions that change nothing
 * in the place of those that make text safe to print. A test that this agent passes sees nothing.
 */
import { registerHooks } from 'node:module';

const SAFE = '/shared/kube/text/printable.ts';
const RAW = 'export const printable = (text) => text; export const printableLines = printable;';

registerHooks({
  load: (url, context, next) =>
    url.endsWith(SAFE) ? { format: 'module', source: RAW, shortCircuit: true } : next(url, context),
});
