/** One node, or one pod: conditions, taints, pods, events, and the explanation of the control plane. */
import { html, LitElement, nothing } from 'lit';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { ageText, untilText } from '../../../shared/rules/roll-call/units.ts';
import '../actions/node-actions.ts';
import { nodeLease } from '../detail/node-lease.ts';
import { nodePods } from '../detail/node-pods.ts';
import '../detail/node-log.ts';
import type { DetailLease, DetailMessage, DetailPart, ExplainedAnswer } from '../../wire/detail.ts';
import { markAt, wordOf } from '../contract/marks.ts';
import { hashOf } from '../contract/route.ts';
import type { View } from '../contract/view.ts';
import { timeText } from '../history/words.ts';
import { createHearing } from '../live/hearing.ts';
import { standingText } from '../live/standing.ts';
import type { LiveStore } from '../live/store.ts';
import { openStream, type Stream } from '../live/stream.ts';

interface EventObject extends ApiObject {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
}

const TICK_MS = 1_000;

class DetailView extends LitElement {
  static override properties = {
    live: { attribute: false },
    kind: { attribute: false },
    namespace: { attribute: false },
    name: { attribute: false },
  };
  declare live: LiveStore;
  declare kind: 'node' | 'pod';
  declare namespace: string;
  declare name: string;
  #stream: Stream | undefined;
  #parts: Partial<Record<DetailPart, readonly object[]>> = {};
  #answers: readonly ExplainedAnswer[] = [];
  /** When the explanation was given, by the server's clock; and why there is none. */
  #explainedAt = 0;
  #unexplained = '';
  #lease: DetailLease | null | undefined;
  #hearing = createHearing(() => performance.now());
  /** It has been seen here. */
  #wasThere = false;
  #timer = 0;

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = window.setInterval(() => this.requestUpdate(), TICK_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#stream?.close();
  }

  /** The server's clock (ms); while it is not heard, the instant of which this is shown. */
  get #now(): number {
    return this.#hearing.now();
  }

  get #isLive(): boolean {
    return this.#hearing.standing().is === 'live';
  }

  get #collection(): 'nodes' | 'pods' {
    return this.kind === 'node' ? 'nodes' : 'pods';
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has('name') && !changed.has('namespace')) return;
    [this.#parts, this.#answers, this.#lease] = [{}, [], undefined];
    [this.#unexplained, this.#wasThere] = ['', false];
    this.#hearing = createHearing(() => performance.now());
    this.#stream?.close();
    const query = new URLSearchParams({ namespace: this.namespace, name: this.name });
    this.#stream = openStream({
      url: () => `data/${this.kind}?${query.toString()}`,
      onMessage: (data) => this.#take(JSON.parse(data) as DetailMessage),
      onConnection: (connection) => {
        this.#hearing.connected(connection);
        this.requestUpdate();
      },
    });
  }

  #take({ now, parts, answers, unexplained = '', lease, source }: DetailMessage): void {
    this.#lease = lease === undefined ? this.#lease : lease;
    this.#parts = { ...this.#parts, ...parts };
    this.#wasThere ||= (parts[this.#collection]?.length ?? 0) > 0;
    if (answers) [this.#answers, this.#explainedAt, this.#unexplained] = [answers, now, unexplained];
    this.#hearing.heard({ now, source, isWhole: this.#parts[this.#collection] !== undefined });
    this.requestUpdate();
  }

  #ago(time: string | undefined): string {
    return time === undefined ? '' : `${ageText(this.#now - Date.parse(time))} ago`;
  }

  #next({ next, wouldChange }: ExplainedAnswer) {
    if (next === undefined || !this.#isLive) return nothing;
    const unless =
      wouldChange.length === 0 ? '' : `, unless ${wouldChange.map((one) => one.message).join(', ')}`;
    return html`<p>Next: ${next.message}, ${untilText(Date.parse(next.time), this.#now)}${unless}</p>`;
  }

  #explanation() {
    if (this.#unexplained !== '' && this.#wasThere)
      return html`<h2>Why</h2><p>The API does not explain it: ${this.#unexplained}</p>`;
    if (this.#answers.length === 0) return nothing;
    return html`
      <h2>Why</h2>
      <p class="faint">as the control plane said at ${timeText(this.#explainedAt)}</p>
      <dl class="answers">
        ${this.#answers.map(
          (answer) => html`<dt>${answer.question}</dt>
            <dd>
              <b>${answer.message}</b>
              <ul>${answer.because.map((fact) => html`<li>${fact.message}${fact.time === undefined ? nothing : `: ${timeText(Date.parse(fact.time))}`} <span class="faint">${fact.source}</span></li>`)}</ul>
              ${this.#next(answer)}
            </dd>`,
        )}
      </dl>
    `;
  }

  #conditions({ status }: Node | Pod) {
    return html`<table>
      <caption>Conditions</caption>
      <thead><tr><th scope="col">Type</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Since</th></tr></thead>
      <tbody>${(status?.conditions ?? []).map(
        ({ type, status: is, reason, lastTransitionTime }) => html`<tr>
          <th scope="row">${type}</th><td>${is}</td><td>${reason ?? ''}</td><td>${this.#ago(lastTransitionTime)}</td>
        </tr>`,
      )}</tbody>
    </table>`;
  }

  #taints({ spec }: Node) {
    const taints = spec?.taints ?? [];
    if (taints.length === 0) return nothing;
    return html`<table>
      <caption>Taints</caption>
      <thead><tr><th scope="col">Key</th><th scope="col">Effect</th><th scope="col">Since</th></tr></thead>
      <tbody>${taints.map(
        ({ key, effect, timeAdded }) =>
          html`<tr><th scope="row">${key}</th><td>${effect}</td><td>${this.#ago(timeAdded)}</td></tr>`,
      )}</tbody>
    </table>`;
  }

  #ofNode(node: Node) {
    const pods = (this.#parts.pods ?? []) as readonly Pod[];
    return html`${this.#lease === undefined ? nothing : nodeLease(this.#lease, this.#now)}
      ${this.#taints(node)} ${this.#parts.pods ? nodePods(pods, node, this.#now, this.#isLive) : nothing}`;
  }

  #events() {
    const events = (this.#parts.events ?? []) as readonly EventObject[];
    if (events.length === 0) return nothing;
    const newest = events.toSorted((a, b) => (b.lastTimestamp ?? '').localeCompare(a.lastTimestamp ?? ''));
    return html`<table>
      <caption>Events, the newest first</caption>
      <thead><tr><th scope="col">When</th><th scope="col">Reason</th><th scope="col">Message</th></tr></thead>
      <tbody>${newest.map(
        ({ lastTimestamp, reason, message }) =>
          html`<tr><td>${this.#ago(lastTimestamp)}</td><td>${reason}</td><td>${message}</td></tr>`,
      )}</tbody>
    </table>`;
  }

  /** What the wall shows of it. */
  #look() {
    const cell = this.kind === 'node' ? this.live.fleet.cells.get(this.name) : undefined;
    if (!cell) return nothing;
    const mark = markAt(cell, this.#now);
    return html`<p><i class="swatch mark-${mark}" aria-hidden="true"></i> <b>${wordOf(mark)}</b>, in zone ${cell.zone}</p>`;
  }

  /** That it is being read, is not there, or cannot be read; and of when it is shown. */
  #state() {
    const standing = this.#hearing.standing();
    const isRead = this.#parts[this.#collection] !== undefined;
    if (standing.is === 'live') return this.#parts[this.#collection]?.length === 0 ? this.#absent() : nothing;
    const text = isRead
      ? `What stands here is of ${timeText(this.#now)}. Nothing is forecast.`
      : standingText(standing);
    return html`<p class="trouble" role="status">${text}</p>`;
  }

  #absent() {
    const what =
      this.kind === 'node' ? `node ${this.name}` : `pod ${this.name} in namespace ${this.namespace}`;
    const text = this.#wasThere ? `The ${what} has been deleted.` : `There is no ${what}.`;
    return html`<p class="empty" role="status">${text} <a href=${hashOf('wall')}>The wall</a> shows all nodes; its Find looks for a part of a name.</p>`;
  }

  #body(object: object | undefined) {
    const node = this.kind === 'node' ? (object as Node | undefined) : undefined;
    const on = this.kind === 'pod' ? (object as Pod | undefined)?.spec.nodeName : undefined;
    return html`
      ${on === undefined ? nothing : html`<p>on <a href=${hashOf('node', on)}>${on}</a></p>`}
      ${node === undefined ? nothing : html`<rollcall-node-actions .node=${node}></rollcall-node-actions>`}
      ${this.#explanation()}
      ${object === undefined ? nothing : this.#conditions(object as Node | Pod)}
      ${node === undefined ? nothing : this.#ofNode(node)} ${this.#events()}
      ${this.kind === 'node' ? html`<rollcall-node-log .live=${this.live} .name=${this.name}></rollcall-node-log>` : nothing}
    `;
  }

  override render() {
    const [object] = this.#parts[this.#collection] ?? [];
    return html`
      <h1>${this.kind === 'node' ? 'Node' : 'Pod'} ${this.name}</h1>
      ${object === undefined ? nothing : this.#look()}
      ${this.#state()}
      ${this.#body(object)}
    `;
  }
}

customElements.define('rollcall-detail-view', DetailView);

export const nodeView: View = {
  path: 'node',
  title: 'Node',
  isInMenu: false,
  render: ({ live }, [name = '']) =>
    html`<rollcall-detail-view .live=${live} .kind=${'node'} .namespace=${''} .name=${name}></rollcall-detail-view>`,
};

export const podView: View = {
  path: 'pod',
  title: 'Pod',
  isInMenu: false,
  render: ({ live }, [namespace = '', name = '']) =>
    html`<rollcall-detail-view .live=${live} .kind=${'pod'} .namespace=${namespace} .name=${name}></rollcall-detail-view>`,
};
