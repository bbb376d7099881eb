/** `<rollcall-node-actions>`: the buttons of what may be done to a node, and what became of it. Empty where nothing may be done. */
import { html, LitElement, nothing } from 'lit';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ActionName } from '../../wire/actions.ts';
import { offeredActions } from './client.ts';
import './dialog.ts';
import { actionsFor, WORDS } from './words.ts';

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
    void offeredActions().then((offered) => {
      this.offered = offered;
    });
  }

  #button(action: ActionName) {
    return html`<button type="button" @click=${() => {
      this.told = '';
      this.asked = action;
    }}>${WORDS[action].button}</button>`;
  }

  #dialog(action: ActionName) {
    return html`<rollcall-action-dialog .action=${action} .node=${this.node}
      .onDone=${(message: string) => {
        this.told = message;
      }}
      .onClosed=${() => {
        this.asked = undefined;
      }}></rollcall-action-dialog>`;
  }

  override render() {
    if (this.offered.length === 0) return nothing;
    return html`
      <div class="actions" role="group" aria-label="Actions">${actionsFor(this.node, this.offered).map((one) => this.#button(one))}</div>
      <p class="told" role="status">${this.told}</p>
      ${this.asked === undefined ? nothing : this.#dialog(this.asked)}
    `;
  }
}

customElements.define('rollcall-node-actions', NodeActions);
