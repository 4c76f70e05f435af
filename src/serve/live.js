// The live page: hears from the server which parts have changed, and fetches those. What comes is HTML of
// the report's own code, in which all texts of the study are escaped; the page's policy lets nothing in it
// run. All addresses are relative, so that tunnels and proxies may lie between.
'use strict';
(() => {
  const token = new URLSearchParams(location.search).get('token') || '';
  const link = document.getElementById('link');
  link.textContent = 'connecting…';
  const dialog = document.getElementById('trial');
  const address = (path, query) => `${path}?${new URLSearchParams({...query, token})}`;
  const fetchText = async (path, query) => {
    const answer = await fetch(address(path, query), {cache: 'no-store'});
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  };
  const fill = (element, html) => {
    element.innerHTML = html;
    window.gofh.makeAll(element);
    showTimes();
  };

  // ---- One study ----

  class Study {
    constructor(root) {
      this.root = root;
      this.index = root.dataset.study;
      this.versions = {};
      this.query = {sort: '', descending: '', filter: '', from: 0};
      this.busy = {};
      const search = root.querySelector('input[type=search]');
      search.addEventListener('input', () => {
        this.query = {...this.query, filter: search.value.trim(), from: 0};
        this.loadTrials();
      });
      for (const button of root.querySelectorAll('[data-move]'))
        button.addEventListener('click', () => {
          const table = root.querySelector('[data-part=trials] table');
          const from = this.query.from + 100 * Number(button.dataset.move);
          if (!table || from < 0 || from >= Number(table.dataset.all)) return;
          this.query = {...this.query, from};
          this.loadTrials();
        });
      root.addEventListener('pick', (event) => {
        event.stopPropagation();
        this.open(event.detail);
      });
      root.addEventListener('click', (event) => this.clicked(event));
    }

    clicked(event) {
      const named = event.target.closest('[data-trial]'), row = event.target.closest('tr[id]');
      const header = event.target.closest('th[data-key]');
      if (named) {
        event.preventDefault();
        this.open(Number(named.dataset.trial));
      } else if (row) {
        this.open(Number(row.id.slice('trial-'.length)));
      } else if (header) {
        const again = this.query.sort === header.dataset.key && !this.query.descending;
        this.query = {...this.query, sort: header.dataset.key, descending: again ? '1' : '', from: 0};
        this.loadTrials();
      }
    }

    async open(trial) {
      const html = await fetchText('trial', {study: this.index, trial});
      fill(dialog, html);
      const close = document.createElement('button');
      close.textContent = 'close';
      close.addEventListener('click', () => dialog.close());
      dialog.append(close);
      if (!dialog.open) dialog.showModal();
    }

    // A part that has changed; never two requests for it at once.
    async load(part, version) {
      if (this.busy[part] || this.versions[part] === version) return;
      this.busy[part] = true;
      try {
        const place = this.root.querySelector(`[data-part=${part}]`);
        const html = await fetchText('part', {study: this.index, part});
        // A chart that is being looked at closely stays until it is left.
        if (place.querySelector('svg.zoomed')) return;
        fill(place, html);
        this.versions[part] = version;
        if (part === 'summary') await this.loadTrials();
      } finally {
        this.busy[part] = false;
      }
    }

    async loadTrials() {
      const query = this.query;
      const html = await fetchText('trials', {study: this.index, ...query});
      if (query !== this.query) return;
      const place = this.root.querySelector('[data-part=trials]');
      place.innerHTML = html;
      const table = place.querySelector('table');
      for (const header of table.querySelectorAll('th[data-key]')) {
        const button = document.createElement('button');
        button.textContent = header.textContent;
        header.replaceChildren(button);
        if (header.dataset.key === query.sort)
          header.setAttribute('aria-sort', query.descending ? 'descending' : 'ascending');
      }
      const {from, shown, all} = table.dataset;
      for (const button of this.root.querySelectorAll('[data-move]')) {
        const next = Number(from) + 100 * Number(button.dataset.move);
        button.hidden = next < 0 || next >= Number(all);
      }
      this.root.querySelector('[data-count]').textContent = Number(all) === 0 ? 'none'
        : `${Number(from) + 1} to ${Number(from) + Number(shown)} of ${all}`;
    }
  }

  const studies = [...document.querySelectorAll('[data-study]')].map((root) => new Study(root));

  // ---- Events ----

  let offset = 0, ended = false, last = null;
  const apply = (event) => {
    last = event;
    ended = event.ended;
    const count = event.studies.length, over = event.studies.filter((study) => study.over).length;
    if (link.className !== 'lost') link.textContent = ended ? 'the run has ended: this page stays as it is'
      : count === 1 ? `following the study${over ? ', which has ended' : ''}`
        : `following ${count} studies${over ? `, of which ${over === count ? 'all have' : `${over} ${over === 1 ? 'has' : 'have'}`} ended` : ''}`;
    for (const [i, versions] of event.studies.entries())
      for (const part of ['summary', 'running', 'next', 'state'])
        studies[i].load(part, versions[part]).catch((error) => {
          if (!ended) link.textContent = error.message;
        });
  };
  const source = new EventSource(address('events', {}));
  source.onmessage = (message) => {
    const event = JSON.parse(message.data);
    offset = event.now - Date.now() / 1000;
    link.className = '';
    apply(event);
  };
  source.onerror = () => {
    if (ended) {
      source.close();
      return;
    }
    link.className = 'lost';
    link.textContent = 'the connection is lost: trying again';
  };

  const duration = (seconds) => {
    const minutes = Math.round(seconds / 60), hours = Math.floor(minutes / 60);
    return seconds < 99.5 ? `${Math.round(Math.max(seconds, 0))} s` : minutes < 100 ? `${minutes} min`
      : hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
  };
  const showTimes = () => {
    const now = Date.now() / 1000 + offset;
    for (const time of document.querySelectorAll('time[data-began]'))
      time.textContent = duration(now - Number(time.dataset.began));
    for (const time of document.querySelectorAll('time[data-low]')) {
      const low = duration(Number(time.dataset.low) - now), high = duration(Number(time.dataset.high) - now);
      time.textContent = low === high ? low : `${low} to ${high}`;
    }
    for (const time of document.querySelectorAll('time[data-since]')) {
      const seconds = Math.max(0, Math.round(Date.now() / 1000 + offset - Number(time.dataset.since)));
      const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
      time.textContent = hours ? `runs for ${hours} h ${minutes} min`
        : minutes ? `runs for ${minutes} min ${seconds % 60} s` : `runs for ${seconds} s`;
    }
  };
  const clock = () => {
    showTimes();
    // What was held back while a chart was looked at.
    if (last && !document.querySelector('svg.zoomed'))
      apply(last);
  };
  setInterval(clock, 1000);
})();
