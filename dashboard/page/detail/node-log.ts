/** `<rollcall-node-log>`: what happened to a node in the last hour. In a large fleet the log is read only for those who ask. */
import { html, LitElement } from 'lit';
import '../history/node-history.ts';
import type { LiveStore } from '../live/store.ts';

/** Nodes of a fleet whose log is short enough to be read with every page of a node. */
const SMALL_FLEET = 1_000;

class NodeLog extends LitElement {
  static override properties = { live: { attribute: false }, name: {}, isWanted: { state: true } };
  declare live: LiveStore;
  declare name: string;
  declare isWanted: boolean;
  #leave = (): void => undefined;

  constructor() {
    super();
    this.isWanted = false;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.live.listen(() => this.#decide());
    this.#decide();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  /** How large the fleet is, is known when all of it has come. */
  #decide(): void {
    const { cells, isWhole } = this.live.fleet;
    if (!isWhole) return;
    this.#leave();
    this.isWanted ||= cells.size <= SMALL_FLEET;
  }

  override render() {
    return html`<h2>What happened to it</h2>
      ${
        this.isWanted
          ? html`<rollcall-node-history .live=${this.live} .name=${this.name}></rollcall-node-history>`
          : html`<button type="button" @click=${() => {
              this.isWanted = true;
            }}>Read the log of changes</button>`
      }`;
  }
}

customElements.define('rollcall-node-log', NodeLog);
