/** `<rollcall-wall>`: a cell for each node on a canvas. It shows what it is given, live or of another time. */
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { Cell } from '../../wire/live.ts';
import { latenessAt, markAt, wordOf } from '../contract/marks.ts';
import { type Arrangement, arrange, type Grouping } from './arrange.ts';
import { cellAt, cornerOf, type Layout, layoutWall, moved } from './layout.ts';
import { createPainter, type Painter, type Touched } from './painter.ts';
import { themeColours } from './theme.ts';

/** How often (ms) late cells are shaded anew. */
const SHADE_MS = 500;
const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];

export class RollcallWall extends LitElement {
  static override properties = {
    cells: { attribute: false },
    shape: { attribute: false },
    grouping: { attribute: false },
    dimmedBut: { attribute: false },
    now: { attribute: false },
    notes: { attribute: false },
    focused: { state: true },
    layout: { state: true },
  };
  /** All nodes; a new collection when nodes came, went or moved. */
  declare cells: ReadonlyMap<string, Cell>;
  /** Another number: nodes have come, gone or moved in the same collection. */
  declare shape: number;
  declare grouping: Grouping;
  /** Names of the cells that stand out; absent: none does. */
  declare dimmedBut: ReadonlySet<string> | undefined;
  /** The server's clock, or the instant that is shown, ms. */
  declare now: () => number;
  /** What is said of each group above it, by its name. */
  declare notes: ReadonlyMap<string, string>;
  declare focused: number;
  declare layout: Layout;

  #arrangement: Arrangement = arrange([], 'zone');
  #painter: Painter | undefined;
  #frame = 0;
  #timer = 0;
  #pending = new Set<string>();
  #resized = new ResizeObserver(() => this.requestUpdate('cells', undefined));
  #scheme = matchMedia('(prefers-color-scheme: dark)');

  constructor() {
    super();
    this.cells = new Map();
    this.shape = 0;
    this.grouping = 'zone';
    this.dimmedBut = undefined;
    this.now = Date.now;
    this.notes = new Map();
    this.focused = 0;
    this.layout = layoutWall([], 100, 100);
  }

  /** The style sheet of the page is its own. */
  override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resized.observe(this);
    this.#scheme.addEventListener('change', this.#paintAnew);
    addEventListener('rollcall-theme', this.#paintAnew);
    this.#timer = window.setInterval(() => this.#shade(), SHADE_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
    this.#scheme.removeEventListener('change', this.#paintAnew);
    removeEventListener('rollcall-theme', this.#paintAnew);
    clearInterval(this.#timer);
  }

  /** Draws these nodes anew in the next frame. */
  repaint(names: readonly string[]): void {
    for (const name of names) this.#pending.add(name);
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paintPending());
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('cells') && !changed.has('shape') && !changed.has('grouping')) return;
    this.#arrangement = arrange(this.cells.values(), this.grouping);
    const { top, width } = this.getBoundingClientRect();
    const height = Math.max(240, innerHeight - Math.max(0, top + scrollY) - 40);
    this.layout = layoutWall(this.#arrangement.groups, Math.max(120, width), height);
    this.focused = Math.min(this.focused, Math.max(0, this.#arrangement.cells.length - 1));
    this.#painter = undefined;
  }

  override updated(): void {
    this.#paintAll();
  }

  #paintAnew = (): void => {
    this.#painter = undefined;
    this.#paintAll();
  };

  get #canvas(): HTMLCanvasElement | null {
    return this.querySelector('canvas');
  }

  #prepare(): Painter | undefined {
    // Pixels are copied into it, which a canvas in the memory of a graphics card does slowly.
    const brush = this.#canvas?.getContext('2d', { willReadFrequently: true });
    if (!brush) return undefined;
    const ratio = Math.min(2, devicePixelRatio || 1);
    brush.canvas.width = Math.ceil(this.clientWidth * ratio);
    brush.canvas.height = Math.ceil(this.layout.height * ratio);
    brush.canvas.style.setProperty('height', `${this.layout.height}px`);
    return createPainter(brush, this.layout, themeColours(this), ratio);
  }

  #paintAll(): void {
    this.#painter ??= this.#prepare();
    this.#pending.clear();
    const cells = this.#arrangement.cells.map((cell) => this.cells.get(cell.name) ?? cell);
    this.#painter?.all(cells, this.dimmedBut, this.now());
    this.#paintOver();
    this.#tellPainted();
  }

  /** What is drawn over the cells. */
  #paintOver(): void {
    const colours = themeColours(this);
    this.#painter?.headings(this.#titles(), colours);
    if (document.activeElement === this.#canvas) this.#painter?.focus(this.focused, colours.focus);
  }

  #paintPending(): void {
    this.#frame = 0;
    const touched: Touched[] = [];
    for (const name of this.#pending) {
      const [index, cell] = [this.#arrangement.places.get(name), this.cells.get(name)];
      if (index === undefined || !cell) continue;
      touched.push({ cell, index, isDimmed: this.dimmedBut?.has(name) === false });
    }
    this.#pending.clear();
    if (this.#painter?.some(touched, this.now())) this.#paintOver();
    this.#tellPainted();
  }

  /** Tests and the bench wait for it. */
  #tellPainted(): void {
    this.dispatchEvent(new CustomEvent('painted', { bubbles: true }));
  }

  /** What stands above each group. */
  #titles(): readonly string[] {
    const { groups } = this.#arrangement;
    const kind = this.grouping === 'zone' ? 'Zone' : this.grouping === 'pool' ? 'Pool' : 'Rack';
    return groups.map(({ name, count }) => {
      const title = name === '' ? `No ${kind.toLowerCase()}` : `${kind} ${name}`;
      return `${title} · ${this.notes.get(name) ?? count}`;
    });
  }

  #shade(): void {
    const late: string[] = [];
    for (const { name, silentSince } of this.cells.values()) if (silentSince > 0) late.push(name);
    if (late.length > 0) this.repaint(late);
  }

  #open(index: number): void {
    const cell = this.#arrangement.cells[index];
    if (cell) this.dispatchEvent(new CustomEvent('open-node', { bubbles: true, detail: cell.name }));
  }

  #pick = (event: MouseEvent): void => {
    const index = cellAt(this.layout, event.offsetX, event.offsetY);
    if (index !== undefined) this.#open(index);
  };

  #hover = (event: MouseEvent): void => {
    const index = cellAt(this.layout, event.offsetX, event.offsetY);
    const canvas = this.#canvas;
    if (!canvas) return;
    canvas.style.setProperty('cursor', index === undefined ? 'default' : 'pointer');
    canvas.title = index === undefined ? '' : this.#describe(index);
  };

  #press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') this.#open(this.focused);
    if (!KEYS.includes(event.key)) return;
    event.preventDefault();
    this.focused = moved(this.layout, this.focused, event.key);
    const { y } = cornerOf(this.layout, this.focused);
    const top = (this.#canvas?.getBoundingClientRect().top ?? 0) + y;
    if (top < 0 || top > innerHeight - 60) scrollBy({ top: top - innerHeight / 2 });
  };

  #describe(index: number): string {
    const cell = this.cells.get(this.#arrangement.cells[index]?.name ?? '');
    if (!cell) return '';
    const now = this.now();
    const late = latenessAt(cell, now);
    const silence = late > 0 ? `, silent for ${Math.round((now - cell.silentSince) / 1000)} s` : '';
    return `${cell.name}, zone ${cell.zone}: ${wordOf(markAt(cell, now))}${silence}`;
  }

  override render() {
    const { cells } = this.#arrangement;
    return html`
      <canvas
        tabindex="0"
        role="application"
        aria-roledescription="wall of nodes"
        aria-label="${cells.length} nodes. Arrows move, Enter opens a node."
        aria-describedby="wall-focus"
        @click=${this.#pick}
        @mousemove=${this.#hover}
        @keydown=${this.#press}
        @focus=${() => this.requestUpdate()}
        @blur=${() => this.requestUpdate()}
      ></canvas>
      <p id="wall-focus" class="unseen" aria-live="polite">
        ${cells.length === 0 ? nothing : this.#describe(this.focused)}
      </p>
    `;
  }
}

customElements.define('rollcall-wall', RollcallWall);
