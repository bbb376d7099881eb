/** `<rollcall-page>`: the frame of all views. */
import { html, LitElement, nothing } from 'lit';
import { spanText } from '../../shared/rules/roll-call/units.ts';
import { hashOf, placeOf } from './contract/route.ts';
import type { View, ViewContext } from './contract/view.ts';
import { standingText } from './live/standing.ts';
import { createLiveStore } from './live/store.ts';
import { nodeView, podView } from './views/detail.ts';
import { nodeHistoryView, zoneHistoryView } from './views/histories.ts';
import { timelineView } from './views/timeline.ts';
import { wallView } from './views/wall.ts';
import { whatIfView } from './views/what-if.ts';
import { zonesView } from './views/zones.ts';
import { applyTheme, nextTheme, themeNow } from './wall/theme.ts';

/** How often what the page says of a silence is drawn anew, ms. */
const TICK_MS = 1_000;

/** The views of the page, in the order of its menu. */
const VIEWS: readonly View[] = [
  wallView,
  zonesView,
  timelineView,
  whatIfView,
  nodeView,
  podView,
  nodeHistoryView,
  zoneHistoryView,
];

class RollcallPage extends LitElement {
  static override properties = { place: { state: true }, theme: { state: true } };
  declare place: ReturnType<typeof placeOf>;
  declare theme: string;
  #context: ViewContext = { live: createLiveStore() };

  constructor() {
    super();
    this.place = placeOf(location.hash);
    this.theme = themeNow();
    applyTheme();
    addEventListener('hashchange', () => {
      this.place = placeOf(location.hash);
    });
    this.#context.live.listen(() => this.requestUpdate());
    setInterval(() => this.requestUpdate(), TICK_MS);
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  #connection() {
    const { hearing } = this.#context.live;
    const standing = hearing.standing();
    const text = standingText(standing);
    const isTrouble = !['live', 'connecting', 'reading'].includes(standing.is);
    const back = hearing.returnedAfter();
    const more = back === undefined || isTrouble ? '' : ` again, after ${spanText(back)} without an answer`;
    return html`<span class="connection ${isTrouble ? 'trouble' : ''}" role="status">${text}${more}</span>`;
  }

  override render() {
    const view = VIEWS.find(({ path }) => path === this.place.path);
    return html`
      <header>
        <a class="brand" href="#/wall">Rollcall</a>
        <nav aria-label="Views">
          ${VIEWS.filter(({ isInMenu }) => isInMenu).map(
            ({ path, title }) => html`<a href=${hashOf(path)}
              aria-current=${path === view?.path ? 'page' : nothing}>${title}</a>`,
          )}
        </nav>
        ${this.#connection()}
        <button type="button" class="quiet" aria-label="Colours: ${this.theme}" @click=${() => {
          this.theme = nextTheme();
        }}>${this.theme}</button>
      </header>
      <main>
        ${view ? view.render(this.#context, this.place.rest) : html`<p class="empty">There is no view ${this.place.path}. <a href=${hashOf('wall')}>The wall</a> shows all nodes.</p>`}
      </main>
    `;
  }
}

customElements.define('rollcall-page', RollcallPage);
