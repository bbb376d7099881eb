/** `<rollcall-node-history>`: what happened to one node in the time that is recorded, as a bar and in words. */
import { html, LitElement, nothing, svg } from 'lit';
import { momentsBetween } from '../../../shared/rules/history/happened.ts';
import { wordOf } from '../contract/marks.ts';
import type { LiveStore } from '../live/store.ts';
import { gapBars, xOf } from './lanes.ts';
import { segmentsOf } from './segments.ts';
import { historyOf, readingText } from './store.ts';
import { durationText, HAPPENED_WORDS, timeText } from './words.ts';

const [WIDTH, HEIGHT] = [600, 22];
const MOST_LINES = 50;

class NodeHistory extends LitElement {
  static override properties = { live: { attribute: false }, name: {} };
  declare live: LiveStore;
  declare name: string;
  #leave = (): void => undefined;

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = historyOf(this.live).follow(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  override render() {
    const { record } = historyOf(this.live).copy();
    if (record.until === 0)
      return html`<p class="empty" role="status">${readingText(historyOf(this.live))}</p>`;
    if (!record.nodes.includes(this.name))
      return html`<p class="empty">The log since ${timeText(record.since)} has no node ${this.name}.</p>`;
    const scale = { from: record.since, to: record.until, width: WIDTH };
    const moments = momentsBetween(record, record.since - 1, record.until).filter(
      ({ node }) => node === this.name,
    );
    return html`
      <p>Recorded since ${timeText(record.since)}, for ${durationText(record.until - record.since)}.</p>
      <svg class="node-bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="How the node looked">
        ${segmentsOf(record, this.name).map(({ from, to, mark }) => {
          if (!mark) return nothing;
          const [x, end] = [xOf(scale, from), xOf(scale, to)];
          return svg`<rect class="mark-${mark}" fill="currentColor" x=${x} width=${Math.max(1, end - x)} height=${HEIGHT}>
            <title>${wordOf(mark)} from ${timeText(from)} for ${durationText(to - from)}</title></rect>`;
        })}
        ${gapBars(record.gaps, scale).map(([x, wide]) => svg`<rect class="lane-gap" x=${x} width=${wide} height=${HEIGHT}/>`)}
      </svg>
      ${moments.length === 0 ? html`<p>Nothing has happened to it in this time.</p>` : nothing}
      <ol class="moments" reversed>${moments
        .slice(-MOST_LINES)
        .toReversed()
        .map(
          ({ at, what, pod }) => html`<li><time>${timeText(at)}</time>
            <i class="swatch mark-${HAPPENED_WORDS[what].mark}" aria-hidden="true"></i>
            ${HAPPENED_WORDS[what].word}${pod === undefined ? nothing : `: ${pod}`}</li>`,
        )}</ol>
    `;
  }
}

customElements.define('rollcall-node-history', NodeHistory);
