/** The wall: all nodes at once, with search, filters, a legend in words, and a table for those who cannot see it. */
import { html, LitElement, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ALL_MARKS, countMarks, countsText, markAt, wordOf } from '../contract/marks.ts';
import '../detail/next.ts';
import { hashOf } from '../contract/route.ts';
import type { View, ViewContext } from '../contract/view.ts';
import { GROUPINGS, type Grouping } from '../wall/arrange.ts';
import '../wall/wall.ts';
import type { Cell, LiveZone } from '../../wire/live.ts';
import type { RollcallWall } from '../wall/wall.ts';
import { emptyText } from './empty.ts';

/** Rows of the table. */
const MOST_ROWS = 200;

/** What stands above a zone: its size, and what is wrong with it. */
const zoneNotes = (zones: readonly LiveZone[]): ReadonlyMap<string, string> =>
  new Map(
    zones.map(({ name, state, ready, size }) => [
      name,
      ready === size ? String(size) : `${ready} of ${size} ready${state === 'Normal' ? '' : ` · ${state}`}`,
    ]),
  );

const foundText = (count: number, search: string): string =>
  count === 0 ? `no name has "${search.trim()}" in it` : `${count} found`;

class WallView extends LitElement {
  static override properties = {
    context: { attribute: false },
    grouping: { state: true },
    search: { state: true },
    isTable: { state: true },
    shape: { state: true },
  };
  declare context: ViewContext;
  declare grouping: Grouping;
  declare search: string;
  declare isTable: boolean;
  declare shape: number;
  #leave = (): void => undefined;
  #notes: ReadonlyMap<string, string> = new Map();

  constructor() {
    super();
    this.grouping = 'zone';
    this.search = '';
    this.isTable = false;
    this.shape = -1;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.context.live.listen((changed) => {
      if (this.context.live.fleet.shape === this.shape)
        this.querySelector<RollcallWall>('rollcall-wall')?.repaint(changed);
      this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  #found(): ReadonlySet<string> | undefined {
    const wanted = this.search.trim().toLowerCase();
    if (wanted === '') return undefined;
    return new Set(
      [...this.context.live.fleet.cells.keys()].filter((name) => name.toLowerCase().includes(wanted)),
    );
  }

  #select(event: SubmitEvent): void {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const given = (name: string): string => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    this.context.live.select({ labelSelector: given('labels'), fieldSelector: given('fields') });
  }

  #open(event: CustomEvent<string>): void {
    location.hash = hashOf('node', event.detail);
  }

  #controls(found: number | undefined) {
    const { live } = this.context;
    const { labelSelector, fieldSelector } = live.selectors();
    return html`
      <form class="controls" role="search" @submit=${this.#select}>
        <label>Find <input type="search" name="search" placeholder="name" autocomplete="off" spellcheck="false"
          @input=${(event: InputEvent) => {
            this.search = (event.target as HTMLInputElement).value;
          }} /></label>
        <label>Labels <input name="labels" placeholder="rack in (r1,r2),!gpu" .value=${labelSelector}
          autocomplete="off" spellcheck="false" /></label>
        <label>Fields <input name="fields" placeholder="spec.unschedulable=true" .value=${fieldSelector}
          autocomplete="off" spellcheck="false" /></label>
        <button>Filter</button>
        <label>Group by
          <select name="grouping" @change=${(event: Event) => {
            this.grouping = (event.target as HTMLSelectElement).value as Grouping;
          }}>
            ${GROUPINGS.map((one) => html`<option ?selected=${one === this.grouping}>${one}</option>`)}
          </select></label>
        <button type="button" aria-pressed=${this.isTable} @click=${() => {
          this.isTable = !this.isTable;
        }}>Table</button>
        <output aria-live="polite">${found === undefined ? nothing : foundText(found, this.search)}</output>
      </form>
    `;
  }

  #table(found: ReadonlySet<string> | undefined) {
    const now = this.context.live.now();
    const rank = (cell: Cell): number => ALL_MARKS.indexOf(markAt(cell, now));
    const cells = [...this.context.live.fleet.cells.values()].filter(
      ({ name }) => found?.has(name) !== false,
    );
    const shown = cells.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_ROWS);
    return html`
      <table>
        <caption>Nodes, those that need attention first${cells.length > shown.length ? `: ${shown.length} of ${cells.length}` : ''}</caption>
        <thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Zone</th></tr></thead>
        <tbody>
          ${repeat(
            shown,
            ({ name }) => name,
            (cell) => html`<tr>
              <th scope="row"><a href=${hashOf('node', cell.name)}>${cell.name}</a></th>
              <td><i class="swatch mark-${markAt(cell, now)}" aria-hidden="true"></i> ${wordOf(markAt(cell, now))}</td>
              <td>${cell.zone}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    `;
  }

  override willUpdate(): void {
    const { fleet } = this.context.live;
    const notes = this.grouping === 'zone' ? zoneNotes(fleet.zones) : new Map<string, string>();
    // Another map draws the wall anew.
    if (JSON.stringify([...notes]) !== JSON.stringify([...this.#notes])) this.#notes = notes;
    // A large fleet comes in pieces. It is arranged once, when all of them are there.
    if (fleet.isWhole) this.shape = fleet.shape;
  }

  override render() {
    const { fleet } = this.context.live;
    const found = this.#found();
    const counts = countMarks(fleet.cells.values(), this.context.live.now());
    if (fleet.cells.size === 0) return html`${this.#controls(found?.size)}${emptyText(this.context.live)}`;
    return html`
      ${this.#controls(found?.size)}
      <p class="unseen" role="status">${countsText(counts)}</p>
      <ul class="legend" aria-label="States of nodes">
        ${ALL_MARKS.filter((mark) => counts.has(mark)).map(
          (mark) => html`<li><i class="swatch mark-${mark}" aria-hidden="true"></i>
            ${wordOf(mark)} <b>${counts.get(mark)}</b></li>`,
        )}
      </ul>
      <div class="wall-and-next">
        <rollcall-next .live=${this.context.live}></rollcall-next>
        ${
          this.isTable
            ? this.#table(found)
            : html`<rollcall-wall .cells=${fleet.cells} .shape=${this.shape} .grouping=${this.grouping} .dimmedBut=${found} .notes=${this.#notes}
                .now=${this.context.live.now} @open-node=${this.#open}></rollcall-wall>`
        }
      </div>
    `;
  }
}

customElements.define('rollcall-wall-view', WallView);

export const wallView: View = {
  path: 'wall',
  title: 'Wall',
  isInMenu: true,
  render: (context) => html`<rollcall-wall-view .context=${context}></rollcall-wall-view>`,
};
