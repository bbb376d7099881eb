/** `<rollcall-node-actions>`: the buttons of what may be done to a node, and what became of it. Empty where nothing may be done. */
import { html, LitElement, nothing } from 'lit';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ActionName } from '../../wire/actions.ts';
import { offeredActions } from './client.ts';
import './dialog.ts';
import { actionsFor, WORDS } from './words.ts';

/** From a failure to the next question, ms. */
const AGAIN_MS = 2_000;

class NodeActions extends LitElement {
  static override properties = {
    node: { attribute: false },
    offered: { state: true },
    asked: { state: true },
    told: { state: true },
  };
  declare node: Node;
  declare offered: readonly ActionName[];
  /** The action whose dialog is open. */
  declare asked: ActionName | undefined;
  declare told: string;
  #asking = 0;

  constructor() {
    super();
    this.offered = [];
    this.asked = undefined;
    this.told = '';
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#askWhatMayBeDone();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#asking);
  }

  /** Asks again after a failure: a server that hangs when a node is opened would leave it without buttons. */
  async #askWhatMayBeDone(): Promise<void> {
    const offered = await offeredActions();
    if (offered) this.offered = offered;
    else if (this.isConnected)
      this.#asking = window.setTimeout(() => void this.#askWhatMayBeDone(), AGAIN_MS);
  }

  #button(action: ActionName) {
    return html`<button type="button" @click=${() => {
      this.told = '';
      this.asked = action;
    }}>${WORDS[action].button}</button>`;
  }

  /** The closed dialog has given the focus back to its button: one more press of the key would open it anew, and take the message away. */
  #tell(message: string): void {
    this.told = message;
    this.querySelector<HTMLElement>('.told')?.focus();
  }

  #dialog(action: ActionName) {
    return html`<rollcall-action-dialog .action=${action} .node=${this.node}
      .onDone=${(message: string) => this.#tell(message)}
      .onClosed=${() => {
        this.asked = undefined;
      }}></rollcall-action-dialog>`;
  }

  override render() {
    if (this.offered.length === 0) return nothing;
    return html`
      <div class="actions" role="group" aria-label="Actions">${actionsFor(this.node, this.offered).map((one) => this.#button(one))}</div>
      <p class="told" role="status" tabindex="-1">${this.told}</p>
      ${this.asked === undefined ? nothing : this.#dialog(this.asked)}
    `;
  }
}

customElements.define('rollcall-node-actions', NodeActions);
