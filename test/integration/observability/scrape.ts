/** A process's metrics, at one moment, as a Prometheus server would store them. */
export type Scrape = ReadonlyMap<string, string>;

/** Reads `/metrics`; each series gets the labels `job` and `instance`, as Prometheus adds them. */
export async function scrape(url: string, job: string): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}/metrics: HTTP ${answer.status} ${text}`);
  return parseMetrics(text, { job, instance: new URL(url).host });
}

/** @throws Error where a line is none of the text format */
function parseMetrics(text: string, added: Readonly<Record<string, string>>): Scrape {
  const extra = Object.entries(added)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
  const series = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels, value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a metric: ${line}`);
    series.set(`${name}{${labels === undefined || labels === '' ? extra : `${labels},${extra}`}}`, value);
  }
  return series;
}

/** All of them together, as one server scrapes several processes at the same moment. */
export function together(...scrapes: readonly Scrape[]): Scrape {
  return new Map(scrapes.flatMap((one) => [...one]));
}
