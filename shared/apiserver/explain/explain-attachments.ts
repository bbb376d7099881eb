/** Answers why volumes are still attached. */
import { explainDetach, type KnownAttachment } from '../../rules/explain/detach.ts';
import type { Answer } from '../../rules/explain/explanation.ts';
import type { ExplainDeps } from './explain-deps.ts';

/** An answer for each of the VolumeAttachments. */
export const detachOf = (
  { clock, config }: ExplainDeps,
  known: readonly KnownAttachment[],
): readonly Answer[] => {
  const mayForce = config.disableForceDetachOnTimeout !== true;
  return known.map((one) => explainDetach(one, clock.now(), mayForce));
};
