/** The timeline of the fleet: what happened in each zone, and the wall as it was at the instant that one chooses. */
import { html, LitElement, nothing, svg } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type Episode, episodesOf, momentsBetween } from '../../../shared/rules/history/happened.ts';
import { type FleetRecord, isRecorded } from '../../../shared/rules/history/record.ts';
import { thinned, type ZoneStep, zoneSteps } from '../../../shared/rules/history/zone-steps.ts';
import { countMarks, countsText } from '../contract/marks.ts';
import { hashOf } from '../contract/route.ts';
import type { View, ViewContext } from '../contract/view.ts';
import { areaPath, axisInstants, gapBars, instantAt, type Scale, xOf } from '../history/lanes.ts';
import { pastCells } from '../history/past-cells.ts';
import { type HistoryStore, historyOf, readingText } from '../history/store.ts';
import { durationText, episodeText, HAPPENED_WORDS, namesText, timeText } from '../history/words.ts';
import '../wall/wall.ts';

const LANE = 44;
const MOST_STEPS = 600;
const MOST_EPISODES = 200;
/** Nodes that follow each other within this time belong together, ms. */
const TOGETHER_MS = 15_000;
/** A step of the keyboard, ms. */
const KEY_STEP_MS = 1_000;
/** Spans that one may choose, minutes; 0: all. */
const SPANS = [10, 30, 60, 0] as const;
const TICKS = ['lost', 'notReady', 'returned', 'becameReady', 'tainted', 'evicted'] as const;

/** What an episode keeps while newer ones come above it and more nodes join it. */
const keyOf = ({ what, zone, from }: Episode): string => `${what} ${zone} ${from}`;

class TimelineView extends LitElement {
  static override properties = {
    context: { attribute: false },
    at: { state: true },
    span: { state: true },
    width: { state: true },
  };
  declare context: ViewContext;
  /** The chosen instant; absent: now. */
  declare at: number | undefined;
  declare span: number;
  declare width: number;
  #leave = (): void => undefined;
  #drawnFrom: FleetRecord | undefined;
  #steps: ReadonlyMap<string, readonly ZoneStep[]> = new Map();
  #episodes: readonly Episode[] = [];
  #scale: Scale = { from: 0, to: 1, width: 1 };
  #resized = new ResizeObserver(() => {
    this.width = this.querySelector('.lanes')?.clientWidth ?? this.clientWidth;
  });

  constructor() {
    super();
    this.at = undefined;
    this.span = 60;
    this.width = 600;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resized.observe(this);
    this.#leave = this.#store.follow(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
    this.#leave();
  }

  get #store(): HistoryStore {
    return historyOf(this.context.live);
  }

  override willUpdate(): void {
    const { record } = this.#store.copy();
    const from = this.span === 0 ? record.since : Math.max(record.since, record.until - this.span * 60_000);
    const width = Math.max(100, this.width);
    const isSame = this.#drawnFrom === record && this.#scale.from === from;
    this.#scale = { from, to: Math.max(record.until, from + 1), width };
    if (isSame) return;
    this.#drawnFrom = record;
    const steps = [...zoneSteps(record, from, record.until)];
    this.#steps = new Map(
      steps
        .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
        .map(([zone, all]) => [zone, thinned(all, MOST_STEPS)]),
    );
    this.#episodes = episodesOf(momentsBetween(record, from - 1, record.until), TOGETHER_MS);
  }

  /** Chooses an instant; at the end of the record it is now. */
  #choose(at: number): void {
    const { from, to } = this.#scale;
    this.at = at >= to ? undefined : Math.max(from, at);
  }

  #drag = (event: PointerEvent): void => {
    if (event.type === 'pointerdown') (event.currentTarget as Element).setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    this.#choose(instantAt(this.#scale, event.clientX - left));
  };

  /** The beginning of the next or the last episode. */
  #jump(by: 1 | -1): void {
    const here = this.at ?? this.#scale.to;
    const starts = this.#episodes.map(({ from }) => from);
    const next = by > 0 ? starts.find((one) => one > here) : starts.findLast((one) => one < here);
    this.#choose(next ?? (by > 0 ? this.#scale.to : this.#scale.from));
  }

  #ticks(zone: string) {
    const shown = this.#episodes.filter(
      (one) => one.zone === zone && TICKS.some((kind) => kind === one.what),
    );
    return shown.flatMap((one) => {
      const places = new Set(one.moments.map(({ at }) => Math.round(xOf(this.#scale, at))));
      return [...places].map((x) => this.#tick(x, one));
    });
  }

  #tick(x: number, { what }: Episode) {
    const colour = `mark-${HAPPENED_WORDS[what].mark}`;
    if (what === 'tainted')
      return svg`<path class=${colour} fill="currentColor" d="M${x - 4} ${LANE + 3}h8l-4 7z"/>`;
    if (what === 'evicted')
      return svg`<path class=${colour} stroke="currentColor" stroke-width="1.5" d="M${x - 3} ${LANE + 12}l6 6m0-6l-6 6"/>`;
    if (what === 'returned' || what === 'becameReady')
      return svg`<circle class=${colour} fill="currentColor" cx=${x} cy=${LANE + 6.5} r="3.5"/>`;
    return svg`<path class=${colour} stroke="currentColor" stroke-width="2" d="M${x} ${LANE + 2}v9"/>`;
  }

  #lane(zone: string, steps: readonly ZoneStep[], record: FleetRecord) {
    const scale = this.#scale;
    const width = scale.width;
    const area = (part: 'unknown' | 'notReady' | 'silent', below: (step: ZoneStep) => number) =>
      areaPath(steps, scale, LANE, (counts) => counts[part], below as never);
    const cursor = this.at === undefined ? undefined : xOf(scale, this.at);
    return html`
      <h2 class="lane-name"><a href=${hashOf('zone-history', zone)}>Zone ${zone}</a></h2>
      <svg class="lane" width=${width} height=${LANE + 20} aria-hidden="true"
        @pointerdown=${this.#drag} @pointermove=${this.#drag}>
        <defs><pattern id="striped" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path class="mark-NotReady" d="M0 0V6" stroke="currentColor" stroke-width="6"/></pattern>
          <pattern id="nothing" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path class="mark-neverReported" d="M0 0V6" stroke="currentColor" stroke-width="2"/></pattern></defs>
        <rect class="mark-ready lane-ground" width=${width} height=${LANE} fill="currentColor"/>
        <path class="mark-Unknown" fill="currentColor" d=${area('unknown', () => 0)}/>
        <path fill="url(#striped)" d=${area('notReady', ({ unknown }) => unknown)}/>
        <path class="mark-neverReported" fill="currentColor" d=${area('silent', ({ unknown, notReady }) => unknown + notReady)}/>
        ${gapBars(record.gaps, scale).map(([x, wide]) => svg`<rect class="lane-gap" x=${x} width=${wide} height=${LANE}/><rect x=${x} width=${wide} height=${LANE} fill="url(#nothing)"/>`)}
        ${this.#ticks(zone)}
        ${cursor === undefined ? nothing : svg`<path class="lane-cursor" d="M${cursor} 0V${LANE + 20}"/>`}
      </svg>
    `;
  }

  #axis() {
    const { from, to } = this.#scale;
    return html`<svg class="axis" width=${this.#scale.width} height="18" aria-hidden="true">
      ${axisInstants(this.#scale).map(
        (at) =>
          svg`<text x=${xOf(this.#scale, at)} y="13" text-anchor="middle">${timeText(at).slice(0, to - from < 1_200_000 ? 8 : 5)}</text>`,
      )}
    </svg>`;
  }

  #scrubber(asOf: string) {
    const { from, to } = this.#scale;
    const steps = Math.max(1, Math.ceil((to - from) / KEY_STEP_MS));
    const here = this.at === undefined ? steps : Math.round((this.at - from) / KEY_STEP_MS);
    return html`
      <div class="scrubber">
        <button type="button" @click=${() => this.#jump(-1)} aria-label="To the last event">◀</button>
        <input type="range" min="0" max=${steps} .value=${String(here)}
          aria-label="Instant that the wall shows" aria-valuetext=${asOf}
          @input=${(event: InputEvent) =>
            this.#choose(from + (event.target as HTMLInputElement).valueAsNumber * KEY_STEP_MS)} />
        <button type="button" @click=${() => this.#jump(1)} aria-label="To the next event">▶</button>
        <button type="button" class="go-live" ?disabled=${this.at === undefined} @click=${() => {
          this.at = undefined;
        }}>Back to now</button>
        <label>Show <select @change=${(event: Event) => {
          this.span = Number((event.target as HTMLSelectElement).value);
        }}>${SPANS.map((minutes) => html`<option value=${minutes} ?selected=${minutes === this.span}>${minutes === 0 ? 'all that is recorded' : `the last ${minutes} min`}</option>`)}</select></label>
      </div>
    `;
  }

  #episodesTable() {
    const shown = this.#episodes.slice(-MOST_EPISODES).toReversed();
    if (shown.length === 0) return html`<p class="empty">Nothing has happened in this time.</p>`;
    return html`
      <table class="episodes">
        <caption>What happened, the newest first${shown.length < this.#episodes.length ? `: ${shown.length} of ${this.#episodes.length}` : ''}</caption>
        <thead><tr><th scope="col">When</th><th scope="col">Zone</th><th scope="col">What</th><th scope="col">Nodes</th></tr></thead>
        <tbody>${repeat(
          shown,
          keyOf,
          (one) => html`<tr aria-current=${this.at === one.to ? 'time' : nothing}>
            <th scope="row"><button type="button" class="quiet" title="Show the wall then" @click=${() => this.#choose(one.to)}>${timeText(one.from)}</button></th>
            <td>${one.zone}</td>
            <td><i class="swatch mark-${HAPPENED_WORDS[one.what].mark}" aria-hidden="true"></i> ${episodeText(one)}</td>
            <td>${namesText(one.moments.map(({ node, pod }) => pod ?? node))}</td>
          </tr>`,
        )}</tbody>
      </table>
    `;
  }

  #head(record: FleetRecord) {
    const problem = this.#store.problem();
    const gaps = record.gaps.length;
    return html`
      <h1>Timeline</h1>
      <p>Recorded since ${timeText(record.since)}, for ${durationText(record.until - record.since)}.
        ${this.#store.isLive() ? nothing : html`<b>The log is still being read.</b>`}
        ${gaps === 0 ? nothing : `${gaps} ${gaps === 1 ? 'time' : 'times'} in it ${gaps === 1 ? 'was' : 'were'} not recorded (striped).`}
        ${problem === undefined ? nothing : html`<span class="trouble">It cannot be read further: ${problem}</span>`}</p>
      <p class="legend-text">In a lane: the share of nodes that are Unknown (filled) or not ready (striped).
        Below it: <span class="mark-Unknown">❙</span> lost, <span class="mark-tainted">▼</span> tainted,
        <span class="mark-tainted">✕</span> pod evicted, <span class="mark-ready">●</span> ready, or ready again.</p>
    `;
  }

  override render() {
    const { record } = this.#store.copy();
    if (record.until === 0)
      return html`<h1>Timeline</h1><p class="empty" role="status">${readingText(this.#store)}</p>`;
    const { fleet } = this.context.live;
    const past = this.at === undefined ? undefined : pastCells(record, this.at, fleet.cells);
    const cells = this.at === undefined ? new Map(fleet.cells) : (past ?? new Map());
    const { live } = this.context;
    const now = (): number => this.at ?? live.now();
    const present =
      live.hearing.standing().is === 'live' ? 'Now' : `As last seen, at ${timeText(live.now())}`;
    const when = this.at === undefined ? present : `As it was at ${timeText(this.at)}`;
    const isKnown = this.at === undefined || isRecorded(record, this.at);
    const asOf = `${when}: ${isKnown ? countsText(countMarks(cells.values(), now())) : 'not recorded'}`;
    return html`
      ${this.#head(record)}
      <div class="lanes">
        ${[...this.#steps].map(([zone, steps]) => this.#lane(zone, steps, record))}
        ${this.#axis()}
      </div>
      ${this.#scrubber(asOf)}
      <p class="as-of ${this.at === undefined ? '' : 'past'}" role="status"><b>${when}</b>${asOf.slice(when.length)}</p>
      <rollcall-wall .cells=${cells} .now=${now} .grouping=${'zone'}
        @open-node=${(event: CustomEvent<string>) => {
          location.hash = hashOf('node-history', event.detail);
        }}></rollcall-wall>
      ${this.#episodesTable()}
    `;
  }
}

customElements.define('rollcall-timeline', TimelineView);

export const timelineView: View = {
  path: 'timeline',
  title: 'Timeline',
  isInMenu: true,
  render: (context) => html`<rollcall-timeline .context=${context}></rollcall-timeline>`,
};
