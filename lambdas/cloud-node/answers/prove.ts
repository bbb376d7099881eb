/** Sets the taint `out-of-service` on a node whose machine is proven to be off. */
import { nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { hasShutdownTaint } from '../../../shared/rules/cloud/cloud-step.ts';
import { claimedKey, providerIdOf } from '../../../shared/rules/cloud/instance.ts';
import { isNamedFor, machineDoubt, verifiedMachine } from '../../../shared/rules/cloud/verified-machine.ts';
import { heldNodeOf } from '../../../shared/rules/holds/eviction-after-holds.ts';
import { targetOf } from '../../../shared/rules/holds/held-by.ts';
import { heldStart } from '../../../shared/rules/holds/held-start.ts';
import {
  downSince,
  fencedFrom,
  type Proof,
  shownProof,
  wantsProof,
  withProof,
} from '../../../shared/rules/nodes/out-of-service-proof.ts';
import { delayPast } from '../../../shared/rules/wake-up.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from '../deps.ts';
import type { ProofMessage, ProofsMessage } from '../message.ts';
import { CLOUD_NODE_QUEUE } from '../queue.ts';
import { machineDoubted, outOfServiceProven } from './events.ts';
import { fence, sinceText } from './fence.ts';
import { readNodes } from './judged.ts';

/** The node is still down, since the same instant, and has the same machine. */
const isSameOutage = (row: LiveRow | undefined, seen: LiveRow): row is LiveRow =>
  row?.uid === seen.uid &&
  providerIdOf(row.object) === providerIdOf(seen.object) &&
  verifiedMachine(row.object) === verifiedMachine(seen.object) &&
  downSince(row.object) === downSince(seen.object);

const taint = async (
  { writer, recorder, config }: CloudNodeDeps,
  seen: LiveRow,
  source: Proof['source'],
): Promise<LookReport> => {
  let at = 0;
  const { outcome } = await writer.destroy(
    seen.key,
    (found, now) => {
      const row = liveRow(found);
      if (!isSameOutage(row, seen) || !wantsProof(row.object, config.outOfService.policy)) return undefined;
      at = now;
      const change = withProof(row.object, { at, source, instance: verifiedMachine(row.object) });
      return { ...change, stops: 'Fencing', node: targetOf(row.object), writer: 'controller' };
    },
    seen,
  );
  if (outcome !== 'written') return NOTHING;
  const { name } = seen.key;
  await recorder.record(nodeTarget(name, seen.uid), outOfServiceProven(name, source), String(at));
  return { ...NOTHING, proven: 1 };
};

/** Told once for each outage. */
const tellDoubt = async (
  { recorder, clock }: CloudNodeDeps,
  row: LiveRow,
  held: Readonly<Record<'MachineNotVerified' | 'MachineAmbiguous', string>>,
): Promise<void> => {
  const doubt = machineDoubt(row.object);
  if (!doubt || providerIdOf(row.object) === '') return;
  const text = machineDoubted(row.key.name, doubt, held[doubt]);
  await recorder.record(nodeTarget(row.key.name, row.uid), text, sinceText(row, clock.now()));
};

/** Sends a message for each of these Nodes that wants a proof. */
export const askForProofs = async (deps: CloudNodeDeps, { names, isSwept }: ProofsMessage): Promise<void> => {
  const rows = await readNodes(deps, names);
  const wanting = rows.filter(({ object }) => wantsProof(object, deps.config.outOfService.policy));
  const swept = isSwept ? { isSwept } : {};
  const messages = wanting.map(({ key: { name } }) => ({ body: { v: 1, kind: 'proof', name, ...swept } }));
  if (messages.length > 0) await deps.queues.send(CLOUD_NODE_QUEUE.name, messages);
};

const NO_PROOF = 'That its cloud has shut the machine down is no proof for it.';
const BY_TAINT = { MachineNotVerified: NO_PROOF, MachineAmbiguous: NO_PROOF };
const BY_SERVICE = {
  MachineNotVerified: 'The fencing service is asked by the name of the Node, without a providerID.',
  MachineAmbiguous: 'The fencing service is not asked.',
};

/** A provider is asked by the providerID: the taint is about that machine, and proves nothing about another one. Without a provider of its own, Rollcall has not set the taint `shutdown`: whoever has, knows the machine. */
const isProofOfCloud = ({ cloud }: CloudNodeDeps, { object }: LiveRow): boolean =>
  cloud === undefined || isNamedFor(object, claimedKey(object));

/** Whether a hold stops it, or it begins later after one. The end of a hold sends messages of its own; a later begin needs one. */
const isHeld = async (deps: CloudNodeDeps, { object }: LiveRow, message: ProofMessage): Promise<boolean> => {
  const now = deps.clock.now();
  const since = downSince(object) ?? now;
  const held = heldStart(deps.holds.book(), 'Fencing', heldNodeOf(object), since, now);
  if (held && Number.isFinite(held.until) && !message.isSwept)
    await deps.queues.send(CLOUD_NODE_QUEUE.name, [
      { body: message, delaySeconds: delayPast(held.until, now) },
    ]);
  return held !== undefined;
};

const byService = async (deps: CloudNodeDeps, row: LiveRow, message: ProofMessage): Promise<LookReport> => {
  const from = deps.fencing && fencedFrom(row.object, deps.config.outOfService.fencingDelayMs);
  if (from === undefined || (await isHeld(deps, row, message))) return NOTHING;
  await tellDoubt(deps, row, BY_SERVICE);
  // The service would switch off a machine that another Node calls its own.
  if (machineDoubt(row.object) === 'MachineAmbiguous') return NOTHING;
  return fence(deps, row, message, from, (down) => taint(deps, down, 'fencing'));
};

/** Looks for a proof that the machine of this Node is off: what the Node shows, or else the answer of the fencing service. */
export const prove = async (deps: CloudNodeDeps, message: ProofMessage): Promise<LookReport> => {
  const [row] = await readNodes(deps, [message.name]);
  if (!row || !wantsProof(row.object, deps.config.outOfService.policy)) return NOTHING;
  const isProof = isProofOfCloud(deps, row);
  const shown = shownProof(row.object, deps.clock.now(), isProof);
  if (shown && (await isHeld(deps, row, message))) return NOTHING;
  if (shown) return taint(deps, row, shown);
  if (!isProof && hasShutdownTaint(row.object)) await tellDoubt(deps, row, BY_TAINT);
  return byService(deps, row, message);
};
