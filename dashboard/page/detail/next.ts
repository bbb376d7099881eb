/** `<rollcall-next>`: what happens next in the fleet, when, and why. */
import { html, LitElement, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { untilText } from '../../../shared/rules/roll-call/units.ts';
import { hashOf } from '../contract/route.ts';
import { HAPPENED_WORDS } from '../history/words.ts';
import { noForecastText } from '../live/standing.ts';
import type { LiveStore } from '../live/store.ts';
import { type NextRow, nextOf, nothingText, type Subject } from './next-rows.ts';

/** Rows that are shown until somebody asks for more; and then. */
const [FEW, MOST] = [6, 60];
const TICK_MS = 1_000;

/** The colours and shapes are those of the timeline. */
const MARKS: Readonly<Record<NextRow['kind'], string>> = {
  unknown: HAPPENED_WORDS.lost.mark,
  taint: HAPPENED_WORDS.tainted.mark,
  eviction: HAPPENED_WORDS.evicted.mark,
  drain: HAPPENED_WORDS.drainAsked.mark,
};

const linkTo = ({ text, path: [view = '', ...rest] }: Subject) =>
  html`<a href=${hashOf(view, ...rest)}>${text}</a>`;

const listed = (subjects: readonly Subject[], more: number) =>
  html`${subjects.map((one, place) => html`${place > 0 ? ', ' : ''}${linkTo(one)}`)}${more > 0 ? ` and ${more} more` : nothing}`;

/** What a row keeps while rows above it come and go. */
const keyOf = ({ kind, subjects: [first], object }: NextRow): string =>
  [kind, ...(first?.path ?? []), ...(object?.path ?? [])].join('/');

class RollcallNext extends LitElement {
  static override properties = { live: { attribute: false }, isLong: { state: true } };
  declare live: LiveStore;
  declare isLong: boolean;
  #leave = (): void => undefined;
  #timer = 0;

  constructor() {
    super();
    this.isLong = false;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.live.listen(() => this.requestUpdate());
    this.#timer = window.setInterval(() => this.requestUpdate(), TICK_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
    clearInterval(this.#timer);
  }

  #row({ kind, at, subjects, more, before, verb, object, why }: NextRow, now: number) {
    return html`<li>
      <b class="when">${untilText(at, now)}</b>
      <span><i class="swatch mark-${MARKS[kind]}" aria-hidden="true"></i>
        ${before} ${listed(subjects, more)} ${object ? html`${verb} ${linkTo(object)}` : verb}<span class="faint">: ${why}</span></span>
    </li>`;
  }

  #others(count: number) {
    if (count <= 0 && !this.isLong) return nothing;
    const press = (): void => {
      this.isLong = !this.isLong;
    };
    return html`<button type="button" class="quiet" aria-expanded=${this.isLong} @click=${press}>
      ${this.isLong ? 'Fewer' : `and ${count} more`}</button>`;
  }

  #frame(content: unknown) {
    return html`<section class="next" aria-label="What happens next"><h2>What happens next</h2>${content}</section>`;
  }

  override render() {
    const unknown = noForecastText(this.live.hearing.standing());
    return this.#frame(unknown === undefined ? this.#forecast() : html`<p role="status">${unknown}</p>`);
  }

  #forecast() {
    const now = this.live.now();
    const { fleet } = this.live;
    const next = nextOf(fleet, now);
    const shown = next.rows.slice(0, this.isLong ? MOST : FEW);
    const hidden = next.rows.length - shown.length;
    return html`
      ${next.stopped.map((text) => html`<p class="stopped">${text}</p>`)}
      ${
        shown.length === 0
          ? html`<p>${nothingText(fleet, next)}</p>`
          : html`<ol class="steps">${repeat(shown, keyOf, (row) => this.#row(row, now))}</ol>`
      }
      ${this.#others(hidden)}
      ${next.moreLate > 0 ? html`<p class="faint">${next.moreLate} more nodes are late.</p>` : nothing}
      ${next.morePods > 0 ? html`<p class="faint">${next.morePods} more pods leave after these.</p>` : nothing}
      ${next.held.map((text) => html`<p class="held">${text}</p>`)}
      ${next.moreHeld > 0 ? html`<p class="faint">${next.moreHeld} more pods have no successor.</p>` : nothing}
      ${next.moreDrains > 0 ? html`<p class="faint">${next.moreDrains} more drains are under way.</p>` : nothing}
      ${
        shown.every(({ kind }) => kind === 'drain')
          ? nothing
          : html`<p class="faint rule">A node that is silent for its grace period becomes Unknown. Its zone taints such nodes one after the other. A pod leaves when it no longer tolerates the taint.</p>`
      }`;
  }
}

customElements.define('rollcall-next', RollcallNext);
