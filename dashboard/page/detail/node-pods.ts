/** The pods of a node as a table, with a bar for the time that each one has left. */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { hashOf } from '../contract/route.ts';
import { deadlineBar } from './deadline-bar.ts';
import { type PodRow, podRows } from './pod-rows.ts';

const rowOf = ({ namespace, name, phase, text, why, left }: PodRow) => html`<tr>
  <th scope="row"><a href=${hashOf('pod', namespace, name)}>${name}</a></th>
  <td>${namespace}</td>
  <td>${phase}</td>
  <td>${left === undefined ? nothing : deadlineBar(left, 'deadline-left')}${text}${why === '' ? nothing : html`<span class="faint">: ${why}</span>`}</td>
</tr>`;

/** A row without what is going to happen. */
const factsOf = (row: PodRow): PodRow => {
  const { left, ...facts } = row;
  return left === undefined ? row : { ...facts, text: '', why: '' };
};

/** The table, at `now` of the server's clock (ms). `isLive`: what happens next is known. */
export const nodePods = (
  pods: readonly Pod[],
  node: Node,
  now: EpochMs,
  isLive: boolean,
) => html`<div class="wide"><table>
  <caption>Pods${pods.length === 0 ? ': none' : nothing}</caption>
  ${
    pods.length === 0
      ? nothing
      : html`<thead><tr><th scope="col">Pod</th><th scope="col">Namespace</th><th scope="col">Phase</th><th scope="col">How long it stays</th></tr></thead>`
  }
  <tbody>${repeat(
    podRows(pods, node, now),
    ({ namespace, name }) => `${namespace}/${name}`,
    (row) => rowOf(isLive ? row : factsOf(row)),
  )}</tbody>
</table></div>`;
