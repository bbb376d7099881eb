import { finishForeground } from './collect/finish-owner.ts';
import { lookAt } from './collect/look-at.ts';
import { type CollectorDeps, type CollectorReport, keyIn } from './deps.ts';
import type { GarbageMessage } from './message.ts';
import { sweep } from './sweep.ts';

/** Handles a queued message. Throws if it could not be handled; the message is then delivered again. */
export const reconcile = async (deps: CollectorDeps, message: GarbageMessage): Promise<CollectorReport> => {
  switch (message.kind) {
    case 'object':
      return lookAt(deps, message);
    case 'owner':
      return finishForeground(deps, { key: keyIn(message), uid: message.uid });
    case 'sweep':
      return sweep(deps, message);
  }
};
