/** The zones: how much of each answers, at which pace its nodes are tainted, and who waits. */
import { html, LitElement, nothing, svg } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { rateText, untilText } from '../../../shared/rules/roll-call/units.ts';
import { slotOf } from '../../../shared/rules/roll-call/zone-lines.ts';
import type { LiveZone } from '../../wire/live.ts';
import { hashOf } from '../contract/route.ts';
import type { View, ViewContext } from '../contract/view.ts';
import { timeText } from '../history/words.ts';
import { emptyText } from './empty.ts';

/** Names of a waiting line that are shown. */
const SHOWN = 24;

/** Where no node is tainted, nodes wait for nothing. */
const waitingText = ({ waitingCount: count, rate }: LiveZone): string => {
  const nodes = count === 1 ? '1 node' : `${count} nodes`;
  if (rate === 0) return `${nodes} down, without a NoExecute taint:`;
  return count === 1
    ? `${nodes} waits for its NoExecute taint:`
    : `${nodes} wait for their NoExecute taints, in this order:`;
};

class ZonesView extends LitElement {
  static override properties = { context: { attribute: false } };
  declare context: ViewContext;
  #leave = (): void => undefined;
  #timer = 0;

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.context.live.listen(() => this.requestUpdate());
    this.#timer = window.setInterval(() => this.requestUpdate(), 1_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
    clearInterval(this.#timer);
  }

  #pace({ rate, nextAt, state }: LiveZone): string {
    if (state === 'Initial') return 'no pass yet';
    if (rate === 0) return 'no node is tainted for eviction';
    if (!this.#isLive()) return rateText(rate);
    return `${rateText(rate)}, next slot ${untilText(nextAt, this.context.live.now())}`;
  }

  #isLive(): boolean {
    return this.context.live.hearing.standing().is === 'live';
  }

  /** When the node behind `ahead` others is tainted. */
  #slot(zone: LiveZone, ahead: number): string {
    if (!this.#isLive()) return '';
    const now = this.context.live.now();
    const at = slotOf(zone, ahead, now);
    return at === undefined ? '' : ` ${untilText(at, now)}`;
  }

  /** The reason was true when the zone changed, and counts the nodes of then. */
  #change({ state, reason, changedAt }: LiveZone) {
    if (state === 'Normal' || reason === '' || changedAt === undefined) return nothing;
    return html` <span class="faint">since ${timeText(changedAt)}, because then: ${reason}</span>`;
  }

  #zone(zone: LiveZone) {
    const { name, state, ready, size, waiting, waitingCount } = zone;
    return html`
      <section class="zone" aria-label="Zone ${name}">
        <h2>Zone ${name}</h2>
        <p><b>${state}</b>${this.#change(zone)}</p>
        <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" role="img"
          aria-label="${ready} of ${size} ready">
          ${svg`<rect width="100" height="4" class="share-rest" /><rect width=${(100 * ready) / Math.max(1, size)} height="4" class="share-ready" />`}
        </svg>
        <p>${ready} of ${size} ready · ${this.#pace(zone)}</p>
        <p><a href=${hashOf('zone-history', name)}>The last hour</a></p>
        ${
          waitingCount === 0
            ? nothing
            : html`<p class="faint">${waitingText(zone)}</p>
              <ol class="waiting">
                ${repeat(
                  waiting.slice(0, SHOWN),
                  (one) => one,
                  (one, ahead) =>
                    html`<li><a href=${hashOf('node', one)}>${one}</a><span class="faint">${this.#slot(zone, ahead)}</span></li>`,
                )}
              </ol>`
        }
      </section>
    `;
  }

  override render() {
    const { zones } = this.context.live.fleet;
    if (zones.length === 0) return emptyText(this.context.live);
    return html`<div class="zones">${repeat(
      zones,
      ({ name }) => name,
      (zone) => this.#zone(zone),
    )}</div>`;
  }
}

customElements.define('rollcall-zones-view', ZonesView);

export const zonesView: View = {
  path: 'zones',
  title: 'Zones',
  isInMenu: true,
  render: (context) => html`<rollcall-zones-view .context=${context}></rollcall-zones-view>`,
};
