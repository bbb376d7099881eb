/** The Lease of a node: who renews it, when it was renewed, and how long it holds. */
import { html } from 'lit';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { ageText, spanText } from '../../../shared/rules/roll-call/units.ts';
import type { DetailLease } from '../../wire/detail.ts';
import { deadlineBar } from './deadline-bar.ts';

const rest = ({ renewedAt, durationMs }: DetailLease, now: EpochMs): number =>
  durationMs > 0 ? Math.min(1, Math.max(0, (renewedAt + durationMs - now) / durationMs)) : 0;

const NONE = html`<p>No Lease: the machine sends plain heartbeats, a relay speaks for it, or it has never been heard.</p>`;

/** The Lease at `now` of the server's clock (ms); `null`: there is none. */
export const nodeLease = (lease: DetailLease | null, now: EpochMs) => {
  if (!lease) return html`<h2>Lease</h2>${NONE}`;
  const { holder, renewedAt, durationMs, isLive } = lease;
  const isOver = now - renewedAt > durationMs;
  return html`<h2>Lease</h2>
    <p>Held by <b>${holder}</b>, renewed ${ageText(now - renewedAt)} ago${isLive ? '' : ' when it was last read'}, holds for ${spanText(durationMs)}${isOver ? ': it has run out' : ''}.</p>
    ${deadlineBar(rest(lease, now), 'deadline-held')}`;
};
