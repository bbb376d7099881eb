/** `<rollcall-zone-history>`: the ready share and the state of one zone in the last hour. */
import { html, LitElement, svg } from 'lit';
import type { FleetRecord } from '../../../shared/rules/history/record.ts';
import { readyShare, thinned, type ZoneStep, zoneSteps } from '../../../shared/rules/history/zone-steps.ts';
import type { LiveStore } from '../live/store.ts';
import { areaPath, gapBars, type Scale, xOf } from './lanes.ts';
import { zoneEras } from './segments.ts';
import { historyOf, readingText } from './store.ts';
import { durationText, timeText } from './words.ts';

const [WIDTH, HEIGHT] = [600, 60];
const HOUR_MS = 3_600_000;
const MOST_STEPS = 300;

class ZoneHistory extends LitElement {
  static override properties = { live: { attribute: false }, zone: {} };
  declare live: LiveStore;
  declare zone: string;
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

  #chart(steps: readonly ZoneStep[], scale: Scale, record: FleetRecord) {
    const ready = areaPath(steps, scale, HEIGHT, (counts) => counts.ready);
    return svg`<rect class="mark-Unknown lane-ground" fill="currentColor" width=${WIDTH} height=${HEIGHT}/>
      <path class="mark-ready" fill="currentColor" d=${ready}/>
      ${gapBars(record.gaps, scale).map(([x, wide]) => svg`<rect class="lane-gap" x=${x} width=${wide} height=${HEIGHT}/>`)}`;
  }

  override render() {
    const { record } = historyOf(this.live).copy();
    if (record.until === 0)
      return html`<p class="empty" role="status">${readingText(historyOf(this.live))}</p>`;
    const from = Math.max(record.since, record.until - HOUR_MS);
    const steps = zoneSteps(record, from, record.until).get(this.zone) ?? [];
    if (steps.length === 0)
      return html`<p class="empty">No zone ${this.zone} had a node since ${timeText(from)}. <a href="#/zones">Zones</a> has those that there are.</p>`;
    const scale = { from, to: Math.max(from + 1, record.until), width: WIDTH };
    const eras = zoneEras(record, this.zone, steps).filter(
      ({ at }, place, all) => (all[place + 1]?.at ?? record.until) > from || at >= from,
    );
    const worst = Math.min(1, ...steps.map(readyShare));
    return html`
      <p>Since ${timeText(from)}, for ${durationText(record.until - from)}: never fewer than ${Math.floor(worst * 100)} % ready.</p>
      <svg class="zone-chart" viewBox="0 0 ${WIDTH} ${HEIGHT + 4}" role="img" aria-label="Share of nodes that were ready">
        ${this.#chart(thinned(steps, MOST_STEPS), scale, record)}
        ${eras.map(({ at }) => svg`<path class="lane-cursor" d="M${xOf(scale, at)} ${HEIGHT}v4"/>`)}
      </svg>
      <ol class="moments" reversed>${eras
        .toReversed()
        .map(
          ({ at, state, isSaid }) =>
            html`<li><time>${timeText(Math.max(from, at))}</time> ${state}${isSaid ? '' : ' (by the rules, with Kubernetes’ defaults)'}</li>`,
        )}</ol>
    `;
  }
}

customElements.define('rollcall-zone-history', ZoneHistory);
