/**
 * `npm test`: check, scheduling, agent-tables, timelines, controllers, conformance, agent-chaos, clients, host, readme, contract,
 * infrastructure, package, abuse and integration. A part whose needs are not met says why it is skipped.
 */
import { CHECK } from './check.ts';
import { closing, reportingPart, runParts, vitestPart } from './parts.ts';

const fast = await runParts(CHECK, 2);
// They wait far more than they work, each for a host of its own.
const recorded = await runParts(
  [
    reportingPart('test:scheduling'),
    reportingPart('test:agent-tables'),
    reportingPart('test:timelines'),
    reportingPart('test:controllers'),
    reportingPart('test:conformance'),
  ],
  2,
);
// Those that wait, for a host or for a shell, beside those that work.
const besides = runParts(
  [
    vitestPart('test:clients'),
    vitestPart('test:host'),
    vitestPart('test:readme'),
    vitestPart('test:contract'),
    vitestPart('test:infrastructure'),
    vitestPart('test:package'),
  ],
  2,
);
// It sleeps between its blows, and gives way to all others.
const [chaos, beside] = await Promise.all([runParts([reportingPart('test:agent-chaos')], 2), besides]);
const alone = await runParts([reportingPart('test:abuse'), vitestPart('test:integration')], 1);
process.exitCode = closing([...fast, ...recorded, ...chaos, ...beside, ...alone]);
