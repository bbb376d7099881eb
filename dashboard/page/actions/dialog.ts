/** `<rollcall-action-dialog>`: an action on a node, with what will follow, and its confirmation. It is shown while it is in the page. */
import { html, LitElement, nothing } from 'lit';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ActionName, ActionPreview } from '../../wire/actions.ts';
import { perform, preview } from './client.ts';
import { fieldsOf, requestIn } from './fields.ts';
import { podGroups, sentences } from './preview-view.ts';
import { isNewer, WORDS } from './words.ts';

/** Somebody types: what follows is looked at when this has passed, ms. */
const TYPING_MS = 400;

class ActionDialog extends LitElement {
  static override properties = {
    action: { attribute: false },
    node: { attribute: false },
    onDone: { attribute: false },
    onClosed: { attribute: false },
    shown: { state: true },
    problem: { state: true },
    isLooking: { state: true },
    isActing: { state: true },
    isOff: { state: true },
  };
  declare action: ActionName;
  /** As it is now. */
  declare node: Node;
  /** Called with what was done, after the dialog is closed. */
  declare onDone: (message: string) => void;
  declare onClosed: () => void;
  declare shown: ActionPreview | undefined;
  declare problem: string;
  declare isLooking: boolean;
  declare isActing: boolean;
  declare isOff: boolean;
  #looks = 0;
  #typing = 0;
  #opened: Node | undefined;

  constructor() {
    super();
    this.shown = undefined;
    this.problem = '';
    this.isLooking = false;
    this.isActing = false;
    this.isOff = false;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    void this.#look();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#typing);
    this.#looks += 1;
  }

  /** What was shown no longer holds. An answer to an earlier look is not heeded. */
  #forget(): number {
    clearTimeout(this.#typing);
    this.shown = undefined;
    this.problem = '';
    this.isLooking = false;
    this.#looks += 1;
    return this.#looks;
  }

  async #look(): Promise<void> {
    const form = this.querySelector('form');
    const request = form && requestIn(this.action, this.#opened ?? this.node, form);
    const look = this.#forget();
    if (!request) return;
    this.isLooking = true;
    const outcome = await preview(request);
    if (look !== this.#looks) return;
    this.isLooking = false;
    if ('done' in outcome) this.shown = outcome.done;
    else this.problem = outcome.refused.message;
  }

  /** For the Node as it is now, with its taints to choose from. What somebody knew of its machine was about another state. */
  async #lookAgain(): Promise<void> {
    this.#opened = this.node;
    this.isOff = false;
    this.requestUpdate();
    await this.updateComplete;
    await this.#look();
  }

  #onInput(event: Event): void {
    if ((event.target as HTMLInputElement).name === 'isOff') return;
    this.#forget();
    this.#typing = window.setTimeout(() => void this.#look(), TYPING_MS);
  }

  /** The Node has changed since what is shown was computed. */
  #isStale(): boolean {
    return (
      this.shown !== undefined && isNewer(this.node.metadata.resourceVersion, this.shown.resourceVersion)
    );
  }

  #mayAct(): boolean {
    const isTold = this.shown !== undefined && this.shown.ticket !== '' && !this.#isStale();
    return isTold && !this.isActing && (this.action !== 'outOfService' || this.isOff);
  }

  async #act(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!this.shown || !this.#mayAct()) return;
    this.isActing = true;
    this.problem = '';
    const isOff = this.action === 'outOfService' ? { isOff: this.isOff } : {};
    const outcome = await perform({ ticket: this.shown.ticket, ...isOff });
    this.isActing = false;
    if ('done' in outcome) {
      this.querySelector('dialog')?.close();
      this.onDone(outcome.done.message);
      return;
    }
    if (outcome.refused.isChanged) this.#forget();
    this.problem = outcome.refused.message;
  }

  /** Whoever has asked for it waits for the answer. */
  #onCancel(event: Event): void {
    if (this.isActing) event.preventDefault();
  }

  #trouble() {
    const text = this.#isStale()
      ? 'The node has changed since this was computed, so something else may follow.'
      : this.problem;
    if (text === '') return nothing;
    return html`<p class="refusal" role="alert">${text}</p>
      <p><button type="button" @click=${() => void this.#lookAgain()}>Look again</button></p>`;
  }

  #proof() {
    if (this.action !== 'outOfService' || this.shown === undefined || this.shown.ticket === '')
      return nothing;
    return html`<label class="choice"><input type="checkbox" name="isOff" .checked=${this.isOff}
      @change=${(event: Event) => {
        this.isOff = (event.target as HTMLInputElement).checked;
      }} /> <span>I know that the machine is off.</span></label>`;
  }

  override render() {
    this.#opened ??= this.node;
    const { name } = this.#opened.metadata;
    const words = WORDS[this.action];
    return html`
      <dialog class="action" aria-labelledby="action-title" @close=${() => this.onClosed()} @cancel=${this.#onCancel}>
        <form @submit=${this.#act} @input=${this.#onInput}>
          <h2 id="action-title">${words.title(name)}</h2>
          <div class="action-body">
            <div class="action-fields">${fieldsOf(this.action, this.#opened)}</div>
            ${sentences(this.shown, this.isLooking)} ${this.#trouble()} ${this.#proof()}
            ${this.shown === undefined ? nothing : podGroups(this.shown)}
            ${
              this.shown === undefined || this.shown.ticket === ''
                ? nothing
                : html`<p class="faint">On a terminal: <code>${this.shown.command}</code></p>`
            }
          </div>
          <footer>
            <button type="button" ?autofocus=${this.action !== 'taint' && this.action !== 'untaint'} ?disabled=${this.isActing}
              @click=${() => this.querySelector('dialog')?.close()}>Cancel</button>
            <button class="primary" ?disabled=${!this.#mayAct()}>${this.isActing ? 'Asking the API…' : words.confirm(name)}</button>
          </footer>
        </form>
      </dialog>
    `;
  }
}

customElements.define('rollcall-action-dialog', ActionDialog);
