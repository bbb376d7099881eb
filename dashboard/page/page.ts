/** `<rollcall-page>`: the frame of all views. */
import { html, LitElement, nothing } from 'lit';
import { hashOf, placeOf } from './contract/route.ts';
import type { View, ViewContext } from './contract/view.ts';
import { createLiveStore, type LiveStore } from './live/store.ts';
import { nodeView, podView } from './views/detail.ts';
import { nodeHistoryView, zoneHistoryView } from './views/histories.ts';
import { timelineView } from './views/timeline.ts';
import { wallView } from './views/wall.ts';
import { whatIfView } from './views/what-if.ts';
import { zonesView } from './views/zones.ts';
import { applyTheme, nextTheme, themeNow } from './wall/theme.ts';

const STATES: Readonly<Record<ReturnType<LiveStore['connection']>, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  'cut off': 'Cut off from its server. What you see may be old.',
  'not allowed': 'This page has no session. Open the link that the terminal shows.',
};

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
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  #connection() {
    const { live } = this.#context;
    const state = live.connection();
    const { problem } = live.fleet;
    if (state === 'live' && problem === undefined) return html`<span class="connection">Live</span>`;
    const text = state === 'live' ? `The API does not answer: ${problem}` : STATES[state];
    return html`<span class="connection trouble" role="status">${text}</span>`;
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
        ${view ? view.render(this.#context, this.place.rest) : html`<p class="empty">There is no such view.</p>`}
      </main>
    `;
  }
}

customElements.define('rollcall-page', RollcallPage);
