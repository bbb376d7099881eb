/** What would follow from an action, as the dialog shows it. */
import { html, nothing } from 'lit';
import { untilText } from '../../../shared/rules/roll-call/units.ts';
import type { ActionPreview } from '../../wire/actions.ts';
import { FATES } from './words.ts';

type Pods = ActionPreview['pods'];

const podRow = ({ namespace, name, at, why }: Pods[number], now: number) => html`<li>
  <b>${namespace}/${name}</b> ${at === undefined ? nothing : html`<b>${untilText(at, now)}</b> `}<span class="faint">${why}</span>
</li>`;

const group = (fate: keyof typeof FATES, pods: Pods, now: number) => html`
  <details ?open=${fate !== 'stays' && pods.length <= 12}>
    <summary>${FATES[fate]} <b>${pods.length}</b></summary>
    <ul>${pods.map((pod) => podRow(pod, now))}</ul>
  </details>
`;

/** The pods, by their fates. */
export const podGroups = ({ pods, hiddenPods, now }: ActionPreview) =>
  pods.length === 0
    ? nothing
    : html`<div class="fates" role="group" aria-label="Pods">
        ${(Object.keys(FATES) as (keyof typeof FATES)[]).map((fate) => {
          const those = pods.filter((pod) => pod.fate === fate);
          return those.length === 0 ? nothing : group(fate, those, now);
        })}
        ${hiddenPods === 0 ? nothing : html`<p class="faint">… and ${hiddenPods} more pods</p>`}
      </div>`;

const lines = (kind: string, texts: readonly string[]) =>
  texts.map((text) => html`<p class=${kind}>${text}</p>`);

/** What follows in sentences. `undefined`: nothing is known yet. */
export const sentences = (preview: ActionPreview | undefined, isLooking: boolean) => html`
  <div aria-live="polite">
    ${isLooking ? html`<p class="faint">Looking at what follows…</p>` : nothing}
    ${
      preview === undefined
        ? nothing
        : html`${lines('refusal', preview.refusals)}
          ${
            preview.sentences.length === 0
              ? nothing
              : html`<ul class="follows">${preview.sentences.map((text) => html`<li>${text}</li>`)}</ul>`
          }
          ${lines('warning', preview.warnings)}`
    }
  </div>
`;
