// What the page does with scripts, besides what it shows without them: tables are sorted and filtered;
// charts zoom, say which trial a mark is, and let it be picked. No texts of the study become markup.
'use strict';
(() => {
  const shown = (value) => String(Number(value.toPrecision(6)));

  // ---- Tables ----

  const number = (text) => {
    if (text === '∞') return Infinity;
    if (text === '−∞') return -Infinity;
    return text === '' || text === '–' ? NaN : Number(text);
  };

  // Numbers by value, then texts; what has no value comes last, whichever way.
  const compare = (a, b, sign) => {
    const x = number(a), y = number(b);
    if (!Number.isNaN(x) && !Number.isNaN(y)) return sign * (x < y ? -1 : x > y ? 1 : 0);
    if (a === '–' || b === '–') return (a === '–') - (b === '–');
    return sign * a.localeCompare(b);
  };

  // "f < 0.1" or "state = failed" for a column; null where it is neither.
  const rule = (names, text) => {
    const parts = /^(.*?)(<=|>=|<|>|=)(.*)$/.exec(text);
    const column = parts ? names.indexOf(parts[1].trim()) : -1, operator = parts ? parts[2] : '';
    const word = parts ? parts[3].trim() : '', limit = word === '' ? NaN : Number(word);
    if (column < 0 || word === '' || (operator !== '=' && Number.isNaN(limit))) return null;
    const holds = {
      '<': (v) => v < limit, '>': (v) => v > limit, '<=': (v) => v <= limit, '>=': (v) => v >= limit,
      '=': (v) => v === limit,
    }[operator];
    const said = (row) => row.cells[column].textContent.trim();
    return Number.isNaN(limit) ? (row) => said(row).toLowerCase() === word.toLowerCase()
      : (row) => holds(number(said(row)));
  };

  // Rules joined by "and", or any words; null: a comparison that is not understood.
  const matcher = (table, rows, text) => {
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    const rules = text.split(/\s+and\s+/i).map((part) => rule(names, part));
    if (!rules.includes(null)) return (row) => rules.every((holds) => holds(row));
    const words = text.trim().toLowerCase(), has = (row) => row.textContent.toLowerCase().includes(words);
    return !/[<>=]/.test(text) || rows.some(has) ? has : null;
  };

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // Of a long table one page at a time is in the document, so that a browser need not lay out all of it.
  const PAGE = 500;
  class Table {
    constructor(table) {
      this.body = table.tBodies[0];
      this.all = [...this.body.rows];
      this.kept = this.all;
      this.from = 0;
      this.headers = [...table.tHead.rows[0].cells];
      this.headers.forEach((header, column) => {
        if (!header.textContent.trim()) return;
        const button = element('button', {type: 'button', textContent: header.textContent});
        button.addEventListener('click', () => this.sort(column));
        header.replaceChildren(button);
      });
      this.count = element('span', {className: 'note'});
      this.input = element('input', {type: 'search', placeholder: 'failed, or f < 0.1'});
      this.input.setAttribute('aria-label', 'show only trials with');
      this.input.addEventListener('input', () => this.filter(table));
      const tools = element('p', {className: 'tools'}, element('label', {}, 'show only ', this.input));
      for (const [name, step] of this.all.length > PAGE ? [['before', -PAGE], ['after', PAGE]] : []) {
        const button = element('button', {type: 'button', textContent: name});
        button.addEventListener('click', () => this.show(this.from + step));
        tools.append(button);
      }
      tools.append(this.count);
      table.closest('.scroll').before(tools);
      this.filter(table);
      // Paper shows all.
      addEventListener('beforeprint', () => this.body.replaceChildren(...this.kept));
      addEventListener('afterprint', () => this.show(this.from));
    }

    show(from) {
      this.from = Math.max(0, from < this.kept.length ? from : this.from);
      if (this.from >= this.kept.length) this.from = 0;
      const rows = this.kept.slice(this.from, this.from + PAGE);
      this.body.replaceChildren(...rows);
      const some = this.input.value.trim() !== '', number = `${this.kept.length} of ${this.all.length}`;
      this.count.textContent = rows.length < this.kept.length
        ? `${this.from + 1} to ${this.from + rows.length} of ${some ? number : this.all.length}` : some ? number : '';
    }

    sort(column) {
      const header = this.headers[column], ascending = header.getAttribute('aria-sort') !== 'ascending';
      for (const other of this.headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      const ordered = (rows) => rows.map((row) => [row.cells[column].textContent.trim(), row])
        .sort((a, b) => compare(a[0], b[0], ascending ? 1 : -1)).map((row) => row[1]);
      this.all = ordered(this.all);
      const kept = new Set(this.kept);
      this.kept = this.all.filter((row) => kept.has(row));
      this.show(0);
    }

    filter(table) {
      const keeps = matcher(table, this.all, this.input.value);
      this.kept = keeps ? this.all.filter(keeps) : this.all;
      this.show(0);
      if (!keeps) this.count.textContent = 'not understood: write a word, or column < number';
    }

    // The row of that id, on the page that has it.
    find(id) {
      const row = this.all.find((one) => one.id === id);
      if (!row) return null;
      if (!this.kept.includes(row)) {
        this.input.value = '';
        this.kept = this.all;
      }
      this.show(PAGE * Math.floor(this.kept.indexOf(row) / PAGE));
      return row;
    }
  }

  // ---- Charts ----

  const hint = element('div', {className: 'hint', hidden: true});
  const svgElement = (svg, name, attributes) => {
    const made = document.createElementNS(svg.namespaceURI, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return made;
  };

  let clips = 0;
  class Chart {
    constructor(svg) {
      const [left, top, right, bottom] = svg.dataset.frame.split(' ').map(Number);
      Object.assign(this, {svg, left, top, right, bottom});
      this.axes = ['x', 'y'].map((key) => svg.dataset[key].split(' ').map(Number));
      // Names of an axis instead of numbers, by their place.
      this.words = ['xWords', 'yWords'].map((key) => {
        const [first, ...words] = (svg.dataset[key] || '').split('\n');
        return new Map(words.map((word, i) => [Number(first) + i, word]));
      });
      this.plot = svg.querySelector('.plot');
      this.ticks = svg.querySelector('.ticks');
      this.whole = [left, top, right, bottom];
      this.view = this.whole;
      this.kept = [...this.plot.querySelectorAll('path')].map((path) => [path, path.getAttribute('d')]);
      this.keptRects = [...this.plot.querySelectorAll('rect')].map((rect) =>
        [rect, ['x', 'y', 'width', 'height'].map((key) => Number(rect.getAttribute(key)))]);
      this.keptTicks = [...this.ticks.childNodes];
      this.listen();
    }

    // Where a place of the whole chart is now.
    atX(x) { return this.left + (x - this.view[0]) / (this.view[2] - this.view[0]) * (this.right - this.left); }
    atY(y) { return this.top + (y - this.view[1]) / (this.view[3] - this.view[1]) * (this.bottom - this.top); }

    // The value at a place of the whole chart.
    value(axis, share) {
      const [low, high, log] = this.axes[axis];
      return log ? low * Math.pow(high / low, share) : low + share * (high - low);
    }
    valueX(x) { return this.value(0, (x - this.left) / (this.right - this.left)); }
    valueY(y) { return this.value(1, (this.bottom - y) / (this.bottom - this.top)); }

    draw() {
      const zoomed = this.view !== this.whole;
      this.svg.classList.toggle('zoomed', zoomed);
      if (zoomed && !this.clip) {
        this.clip = `clip-${++clips}`;
        const path = svgElement(this.svg, 'clipPath', {id: this.clip});
        path.append(svgElement(this.svg, 'rect',
          {x: this.left, y: this.top, width: this.right - this.left, height: this.bottom - this.top}));
        this.svg.append(path);
      }
      // Marks on the frame are whole where all of it is shown.
      if (zoomed) this.plot.setAttribute('clip-path', `url(#${this.clip})`);
      else this.plot.removeAttribute('clip-path');
      for (const [path, d] of this.kept)
        path.setAttribute('d', d.replace(/([MLV])(-?[\d.]+)(?: (-?[\d.]+))?/g, (all, command, a, b) =>
          command === 'V' ? `V${this.atY(Number(a)).toFixed(1)}`
            : `${command}${this.atX(Number(a)).toFixed(1)} ${this.atY(Number(b)).toFixed(1)}`));
      for (const [rect, [x, y, width, height]] of this.keptRects) {
        rect.setAttribute('x', this.atX(x));
        rect.setAttribute('y', this.atY(y));
        rect.setAttribute('width', this.atX(x + width) - this.atX(x));
        rect.setAttribute('height', this.atY(y + height) - this.atY(y));
      }
      this.drawTicks(zoomed);
    }

    // A value in words.
    said(axis, value) { return this.words[axis].get(Math.round(value)) || shown(value); }

    steps(axis, from, to, wanted) {
      const [low, high] = [this.value(axis, from), this.value(axis, to)];
      const ticks = [];
      if (this.words[axis].size) return [...this.words[axis].keys()].filter((value) => value >= low && value <= high);
      if (this.axes[axis][2] && high / low > 30) {
        for (let k = Math.ceil(Math.log10(low) - 1e-9); Math.pow(10, k) <= high * (1 + 1e-9); k++) ticks.push(Math.pow(10, k));
        return ticks;
      }
      const raw = (high - low) / wanted, power = Math.pow(10, Math.floor(Math.log10(raw)));
      const fine = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
      const step = Math.max(fine, this.axes[axis][3]); // whole numbers have nothing between them
      for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) && ticks.length < 50; k++) ticks.push(k * step);
      return ticks;
    }

    place(axis, value) {
      const [low, high, log] = this.axes[axis];
      const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
      return axis === 0 ? this.atX(this.left + share * (this.right - this.left))
        : this.atY(this.bottom - share * (this.bottom - this.top));
    }

    drawTicks(zoomed) {
      if (!zoomed) {
        this.ticks.replaceChildren(...this.keptTicks);
        return;
      }
      const share = (x) => (x - this.left) / (this.right - this.left);
      const height = this.bottom - this.top, made = [];
      const text = (x, y, anchor, axis, value) => {
        const label = svgElement(this.svg, 'text', {class: 'tick', x, y, 'text-anchor': anchor});
        const words = this.said(axis, value);
        label.textContent = words.length > 12 ? `${words.slice(0, 11)}…` : words;
        made.push(label);
      };
      for (const value of this.steps(1, (this.bottom - this.view[3]) / height, (this.bottom - this.view[1]) / height, 5)) {
        const y = this.place(1, value);
        made.push(svgElement(this.svg, 'line', {class: 'grid', x1: this.left, x2: this.right, y1: y, y2: y}));
        text(this.left - 6, y + 3.5, 'end', 1, value);
      }
      for (const value of this.steps(0, share(this.view[0]), share(this.view[2]), (this.right - this.left) / 80)) {
        const x = this.place(0, value);
        made.push(svgElement(this.svg, 'line', {class: 'axis', x1: x, x2: x, y1: this.bottom, y2: this.bottom + 3}));
        text(x, this.bottom + 14, 'middle', 0, value);
      }
      this.ticks.replaceChildren(...made);
    }

    zoom(view) {
      const [l, t, r, b] = this.whole;
      const clamped = [Math.max(view[0], l), Math.max(view[1], t), Math.min(view[2], r), Math.min(view[3], b)];
      const all = clamped.every((value, i) => Math.abs(value - this.whole[i]) < 1e-6);
      this.view = all ? this.whole : clamped;
      this.draw();
    }

    // By a factor about the middle.
    scale(factor) {
      const [x0, y0, x1, y1] = this.view, x = (x0 + x1) / 2, y = (y0 + y1) / 2;
      this.zoom([x + (x0 - x) * factor, y + (y0 - y) * factor, x + (x1 - x) * factor, y + (y1 - y) * factor]);
    }

    move(across, down) {
      const [x0, y0, x1, y1] = this.view, [l, t, r, b] = this.whole;
      const dx = Math.min(Math.max(across * (x1 - x0), l - x0), r - x1);
      const dy = Math.min(Math.max(down * (y1 - y0), t - y0), b - y1);
      this.zoom([x0 + dx, y0 + dy, x1 + dx, y1 + dy]);
    }

    // The place of an event, in the units of the drawing.
    point(event) {
      const box = this.svg.getBoundingClientRect(), size = this.svg.viewBox.baseVal;
      return [(event.clientX - box.left) / box.width * size.width, (event.clientY - box.top) / box.height * size.height];
    }

    // The trial whose mark is nearest: its number, and its place in the whole chart.
    nearest(x, y) {
      let best = null, least = 12 * 12;
      for (const [path, d] of this.kept) {
        if (!path.dataset.trials) continue;
        const trials = path.dataset.trials.trim().split(' ');
        let i = 0;
        for (const match of d.matchAll(/M(-?[\d.]+) (-?[\d.]+)(h0|l6|l3\.8|h5\.6|l3\.6|h7\.2|l1\.7)/g)) {
          const shift = {h0: [0, 0], l6: [3, 3], 'l3.8': [0, 3.8], 'h5.6': [2.8, 2.8], 'l3.6': [0, 3.6],
            'h7.2': [3.6, 2.6], 'l1.7': [0, 7]}[match[3]];
          const px = Number(match[1]) + shift[0], py = Number(match[2]) + shift[1];
          const distance = (this.atX(px) - x) ** 2 + (this.atY(py) - y) ** 2;
          if (distance < least) [best, least] = [{trial: Number(trials[i]), x: px, y: py}, distance];
          i++;
        }
      }
      return best;
    }

    listen() {
      const svg = this.svg;
      const titles = [...svg.querySelectorAll('text.name')].map((text) => text.textContent);
      let from = null, selection = null;
      svg.setAttribute('tabindex', '0');
      svg.addEventListener('pointerdown', (event) => {
        if (event.pointerType !== 'touch' && event.button === 0) from = this.point(event);
      });
      svg.addEventListener('pointermove', (event) => {
        const [x, y] = this.point(event);
        if (from) {
          selection = selection || svg.appendChild(svgElement(svg, 'rect', {class: 'selection'}));
          selection.setAttribute('x', Math.min(x, from[0]));
          selection.setAttribute('y', Math.min(y, from[1]));
          selection.setAttribute('width', Math.abs(x - from[0]));
          selection.setAttribute('height', Math.abs(y - from[1]));
          return;
        }
        const found = this.nearest(x, y);
        hint.hidden = !found;
        if (!found) return;
        hint.textContent = `trial ${found.trial}\n${titles[0] || 'x'}: ${this.said(0, this.valueX(found.x))}\n` +
          `${titles[1] || 'y'}: ${this.said(1, this.valueY(found.y))}`;
        hint.style.left = `${Math.min(event.clientX + 14, innerWidth - 180)}px`;
        hint.style.top = `${event.clientY + 14}px`;
      });
      const end = (event) => {
        if (!from) return;
        const [x, y] = this.point(event), [x0, y0] = from;
        const across = Math.abs(x - x0) > 8, down = Math.abs(y - y0) > 8;
        from = null;
        if (selection) selection.remove();
        selection = null;
        if (!across && !down) return;
        const back = (value, low, high, a, b) => a + (value - low) / (high - low) * (b - a);
        const [l, t, r, b] = this.view;
        const xs = [x0, x].sort((p, q) => p - q).map((v) => back(v, this.left, this.right, l, r));
        const ys = [y0, y].sort((p, q) => p - q).map((v) => back(v, this.top, this.bottom, t, b));
        this.zoom([across ? xs[0] : l, down ? ys[0] : t, across ? xs[1] : r, down ? ys[1] : b]);
      };
      svg.addEventListener('pointerup', end);
      svg.addEventListener('pointerleave', (event) => {
        hint.hidden = true;
        end(event);
      });
      svg.addEventListener('click', (event) => {
        const found = this.nearest(...this.point(event));
        if (found) svg.dispatchEvent(new CustomEvent('pick', {bubbles: true, detail: found.trial}));
      });
      svg.addEventListener('dblclick', () => this.zoom(this.whole));
      svg.addEventListener('keydown', (event) => {
        const action = {
          '+': () => this.scale(0.7), '-': () => this.scale(1 / 0.7), 0: () => this.zoom(this.whole),
          Escape: () => this.zoom(this.whole), ArrowLeft: () => this.move(-0.2, 0), ArrowRight: () => this.move(0.2, 0),
          ArrowUp: () => this.move(0, -0.2), ArrowDown: () => this.move(0, 0.2),
        }[event.key];
        if (!action) return;
        event.preventDefault();
        action();
      });
    }
  }

  // The charts and tables below an element; again for what is new there.
  const makeAll = (root) => {
    for (const svg of root.querySelectorAll('svg[data-frame]')) if (!svg.made) svg.made = new Chart(svg);
    for (const table of root.querySelectorAll('table.sortable')) if (!table.made) table.made = new Table(table);
  };

  document.body.append(hint);
  window.gofh = {makeAll};
  makeAll(document);
  for (const note of document.querySelectorAll('.scripted')) note.hidden = false;
  const lead = (id) => {
    for (const table of document.querySelectorAll('table.sortable')) {
      const row = table.made.find(id);
      if (row) row.scrollIntoView({block: 'center'});
    }
  };
  document.addEventListener('pick', (event) => {
    const id = `trial-${event.detail}`;
    lead(id);
    if (document.getElementById(id)) location.hash = id;
  });
  if (location.hash.startsWith('#trial-')) lead(location.hash.slice(1));
  // Paper shows all.
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
})();
