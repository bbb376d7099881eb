/**
 * `npm test`: check, scheduling, agent-tables, timelines, controllers, conformance, contract, host, package, readme, abuse, clients, infrastructure
 * and integration. A part whose needs are not met says why it is skipped.
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
const slow = await runParts(
  [
    vitestPart('test:contract'),
    vitestPart('test:host'),
    vitestPart('test:package'),
    vitestPart('test:readme'),
    reportingPart('test:abuse'),
    vitestPart('test:clients'),
    vitestPart('test:infrastructure'),
    vitestPart('test:integration'),
  ],
  1,
);
process.exitCode = closing([...fast, ...recorded, ...slow]);
