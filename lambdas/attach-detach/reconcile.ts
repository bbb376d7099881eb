import { waitForVolume } from '../../shared/rules/attachments/wait-names.ts';
import { delayPast } from '../../shared/rules/wake-up.ts';
import type { AttachDetachDeps, AttachDetachReport } from './deps.ts';
import { joinNode } from './join-node.ts';
import { readLook, settleNode } from './leave-node.ts';
import type { AttachDetachMessage } from './message.ts';
import { ATTACH_DETACH_QUEUE } from './queue.ts';
import { nodesThatWaitFor, waitForClaim } from './waits.ts';

/** Seconds after which a node is looked at again where something has changed meanwhile, or a log had a hole. */
const AGAIN_SECONDS = 1;

const sendNode = (deps: AttachDetachDeps, name: string, delaySeconds: number): Promise<void> =>
  deps.queues.send(ATTACH_DETACH_QUEUE.name, [{ body: { v: 1, kind: 'node', name }, delaySeconds }]);

const lookAt = async (deps: AttachDetachDeps, name: string, report: AttachDetachReport): Promise<void> => {
  const look = await readLook(deps, name);
  if (!look) return;
  const left = await settleNode(deps, look, report);
  if (left === 'again') return sendNode(deps, name, AGAIN_SECONDS);
  const isAgain = (await joinNode(deps, left.look, report)) || look.known.isWaiting();
  if (isAgain) await sendNode(deps, name, AGAIN_SECONDS);
  else if (left.at !== undefined) await sendNode(deps, name, delayPast(left.at, deps.clock.now()));
};

const namesOf = (deps: AttachDetachDeps, message: AttachDetachMessage): Promise<readonly string[]> => {
  switch (message.kind) {
    case 'node':
      return Promise.resolve([message.name]);
    case 'volume':
      return nodesThatWaitFor(deps, waitForVolume(message.name));
    case 'claim':
      return nodesThatWaitFor(deps, waitForClaim(`${message.namespace}/${message.name}`));
  }
};

/**
 * Looks at the nodes that the message is about: takes from them what no pod wants there, then attaches what pods want. Throws if something
 * could not be read or written; the message is then delivered again.
 */
export const reconcile = async (
  deps: AttachDetachDeps,
  message: AttachDetachMessage,
): Promise<AttachDetachReport> => {
  const report: AttachDetachReport = { attached: 0, detached: [], multiAttach: 0 };
  for (const name of await namesOf(deps, message)) await lookAt(deps, name, report);
  return report;
};
