/** What if: the recorded outage, simulated as it was and under other settings, beside what happened. */
import { html, LitElement, nothing } from 'lit';
import type { WhatIfAnswer, WhatIfRow } from '../../wire/what-if.ts';
import type { View, ViewContext } from '../contract/view.ts';
import { timeText } from '../history/words.ts';

/** A setting that one may change: `scale` from what is shown to what the server takes. */
const FIELDS = [
  { name: 'nodeMonitorGracePeriodMs', label: 'Grace period, s', scale: 1000, fallback: 40, step: 'any' },
  {
    name: 'nodeEvictionRate',
    label: 'Nodes tainted per second and zone',
    scale: 1,
    fallback: 0.1,
    step: 'any',
  },
  {
    name: 'secondaryNodeEvictionRate',
    label: 'The same in partial disruption',
    scale: 1,
    fallback: 0.01,
    step: 'any',
  },
  {
    name: 'unhealthyZoneThreshold',
    label: 'Share of nodes not ready from which a zone is disrupted',
    scale: 1,
    fallback: 0.55,
    step: 'any',
  },
] as const;
type Field = (typeof FIELDS)[number];

interface Answer extends WhatIfAnswer {
  readonly settings: Readonly<Record<Field['name'], number>>;
  readonly changed: Readonly<Partial<Record<Field['name'], number>>>;
  /** The settings that hold are not known. */
  readonly isAssumed: boolean;
}

const COLUMNS = ['Happened', 'Simulated as it was', 'Simulated with the change'] as const;

const clockOf = (startAt: number, after: number | undefined): string =>
  after === undefined ? '–' : timeText(startAt + after);

class WhatIfView extends LitElement {
  static override properties = {
    context: { attribute: false },
    answer: { state: true },
    problem: { state: true },
    isRunning: { state: true },
  };
  declare context: ViewContext;
  declare answer: Answer | undefined;
  declare problem: string;
  declare isRunning: boolean;
  #left = new AbortController();

  constructor() {
    super();
    this.answer = undefined;
    this.problem = '';
    this.isRunning = false;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#left.abort();
    this.#left = new AbortController();
  }

  async #run(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const query = new URLSearchParams();
    for (const { name, scale } of FIELDS) {
      const text = data.get(name);
      if (typeof text === 'string' && text.trim() !== '') query.set(name, String(Number(text) * scale));
    }
    this.isRunning = true;
    this.problem = '';
    try {
      const answer = await fetch(`data/what-if?${query}`, { signal: this.#left.signal });
      const body = await answer.json();
      if (answer.ok) this.answer = body;
      else this.problem = body.message;
    } catch {
      if (this.#left.signal.aborted) return;
      this.problem =
        'The server of this page does not answer, so nothing was simulated. Try again when the page is live.';
    }
    this.isRunning = false;
  }

  #form() {
    const known = this.answer?.settings;
    return html`
      <form class="controls" @submit=${this.#run}>
        ${FIELDS.map(
          ({ name, label, scale, fallback, step }) => html`<label>${label}
            <input type="number" name=${name} min="0" step=${step} inputmode="decimal"
              placeholder=${String((known?.[name] ?? fallback * scale) / scale)} /></label>`,
        )}
        <button ?disabled=${this.isRunning}>${this.isRunning ? 'Simulating…' : 'Simulate'}</button>
      </form>
    `;
  }

  #totals({ totals }: Answer) {
    return html`
      <table class="totals">
        <caption>In sum</caption>
        <thead><tr><td></td>${COLUMNS.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
        <tbody>
          ${(
            [
              ['lost', 'Nodes that became Unknown'],
              ['tainted', 'Nodes tainted NoExecute'],
              ['evicted', 'Pods evicted'],
            ] as const
          ).map(
            ([kind, words]) => html`<tr><th scope="row">${words}</th>
              ${totals.map((total, place) => html`<td class=${place === 2 && total[kind] !== totals[1]?.[kind] ? 'differs' : ''}>${total[kind]}</td>`)}</tr>`,
          )}
        </tbody>
      </table>
    `;
  }

  #row({ node, zone, fates }: WhatIfRow, startAt: number) {
    const [, asIs, changed] = fates;
    const cells = fates.flatMap((fate, place) => {
      const differs = (name: 'lostAt' | 'taintedAt' | 'evicted'): string =>
        place === 2 && asIs[name] !== changed[name] ? 'differs' : '';
      return [
        html`<td class=${differs('lostAt')}>${clockOf(startAt, fate.lostAt)}</td>`,
        html`<td class=${differs('taintedAt')}>${clockOf(startAt, fate.taintedAt)}</td>`,
        html`<td class=${differs('evicted')}>${fate.evicted}</td>`,
      ];
    });
    return html`<tr><th scope="row">${node}</th><td>${zone}</td>${cells}</tr>`;
  }

  #rows({ rows, hiddenRows, startAt }: Answer) {
    return html`
      <div class="wide">
        <table>
          <caption>Node by node: when it became Unknown, when it was tainted, how many pods were evicted</caption>
          <thead>
            <tr><td colspan="2"></td>${COLUMNS.map((one) => html`<th scope="colgroup" colspan="3">${one}</th>`)}</tr>
            <tr><th scope="col">Node</th><th scope="col">Zone</th>${COLUMNS.map(
              () => html`<th scope="col">Unknown</th><th scope="col">Tainted</th><th scope="col">Pods</th>`,
            )}</tr>
          </thead>
          <tbody>${rows.map((row) => this.#row(row, startAt))}</tbody>
        </table>
      </div>
      ${hiddenRows === 0 ? nothing : html`<p>… and ${hiddenRows} more nodes</p>`}
    `;
  }

  #result(answer: Answer) {
    return html`
      ${this.#totals(answer)} ${this.#rows(answer)}
      <h2>What to know of it</h2>
      <ul>
        <li>The record has no beats: a silence is taken to begin one grace period and half a pass before its node was lost. The column
          “Simulated as it was” shows how well that tells what happened.</li>
        <li>Pods that were evicted tolerate what the time until their eviction shows; others what they say. Successors are not simulated.</li>
        ${answer.isAssumed ? html`<li>The settings of this control plane are not known here: Kubernetes’ defaults are assumed for those that you leave empty.</li>` : nothing}
        ${answer.notes.map((note) => html`<li>Left out: ${note}</li>`)}
      </ul>
    `;
  }

  override render() {
    return html`
      <h1>What if</h1>
      <p>The outage that is recorded, run again with other settings. Empty fields stay as they are.</p>
      ${this.#form()}
      <p role="status">${this.problem === '' ? nothing : html`<span class="trouble">${this.problem}</span>`}</p>
      ${this.answer ? this.#result(this.answer) : nothing}
    `;
  }
}

customElements.define('rollcall-what-if', WhatIfView);

export const whatIfView: View = {
  path: 'what-if',
  title: 'What if',
  isInMenu: true,
  render: (context) => html`<rollcall-what-if .context=${context}></rollcall-what-if>`,
};
