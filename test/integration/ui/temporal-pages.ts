import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { getStack } from '../stack.ts';
import { startChromium } from './chromium.ts';
import { oneLine } from '../../../providers/one-line.ts';

const DOCS_IMAGES = fileURLToPath(new URL('../../../docs/images', import.meta.url));

/** Columns of the list, as somebody chose them who watches machines. */
const COLUMNS = ['Workflow ID', 'MachinePhase', 'MachineReason', 'MachineInstance', 'MachineNode'] as const;
/** Where the UI remembers the columns of each Temporal namespace. */
const COLUMNS_KEY = 'namespace-workflow-table-columns';

const TIMEOUT_MS = 20_000;
/** Wide enough for all columns. */
const VIEWPORT = { width: 1600, height: 900 };

/** A row of the list: the columns above. */
export interface ListedMachine {
  /** `<namespace>/<name>` */
  readonly machine: string;
  readonly phase: string;
  readonly reason: string;
  readonly instance: string;
  readonly node: string;
}

/** The pages of the Temporal UI, in a browser that reaches this computer only. */
export class TemporalPages {
  /** Requests that would have left this computer. */
  readonly refused: string[] = [];
  private readonly browser: Browser;
  private readonly page: Page;

  private constructor(browser: Browser, page: Page) {
    this.browser = browser;
    this.page = page;
  }

  static async open(): Promise<TemporalPages> {
    const browser = await startChromium();
    const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' });
    context.setDefaultTimeout(TIMEOUT_MS);
    const { namespace } = getStack().temporal;
    const columns = { [namespace]: COLUMNS.map((label) => ({ label })) };
    await context.addInitScript(([key, value]) => globalThis.localStorage.setItem(key, value), [
      COLUMNS_KEY,
      JSON.stringify(columns),
    ] as const);
    const pages = new TemporalPages(browser, await context.newPage());
    await context.route('**/*', (route) => {
      const url = new URL(route.request().url());
      if (url.hostname === '127.0.0.1' || url.protocol === 'data:') return route.continue();
      pages.refused.push(url.href);
      return route.abort();
    });
    return pages;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** The machines that a visibility query lists, as the page shows them. */
  async list(query: string): Promise<ListedMachine[]> {
    await this.page.goto(this.address(`workflows?query=${encodeURIComponent(query)}`), { waitUntil: 'commit' });
    // Either comes when the server has answered.
    await this.page.locator('tbody tr td a, :text("No Workflows")').first().waitFor();
    const views = this.page.getByRole('button', { name: 'Collapse saved views' });
    if (await views.isVisible()) await views.click();
    const rows = await this.page
      .locator('tbody tr')
      .filter({ has: this.page.locator('a') })
      .all();
    return Promise.all(
      rows.map(async (row) => {
        const cells = (await row.locator('td').allInnerTexts()).map((text) => text.trim());
        const [id = '', phase = '', reason = '', instance = '', node = ''] = cells.slice(-COLUMNS.length);
        return { machine: id.split('/').slice(1, 3).join('/'), phase, reason, instance, node };
      }),
    );
  }

  /** Opens the page of a workflow from the list, by a click. */
  async openFromList(workflowId: string): Promise<void> {
    await this.page.locator('tbody a', { hasText: workflowId }).first().click();
    await this.page.getByRole('heading', { name: workflowId }).waitFor();
  }

  /** Opens the page of a workflow, unless that is the page. */
  async openWorkflow(workflowId: string): Promise<void> {
    const address = this.address(`workflows/${encodeURIComponent(workflowId)}`);
    if (this.page.url().startsWith(`${address}/`)) return;
    await this.page.goto(address, { waitUntil: 'commit' });
    await this.page.getByRole('heading', { name: workflowId }).waitFor();
  }

  /** The event history, a line per event: its type and what is told of it. */
  async history(): Promise<string[]> {
    await this.tab('History');
    const rows = this.page.locator('[data-testid="event-summary-row"]');
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((text) => oneLine(text));
  }

  /** Summary, details and current details, as rendered. */
  async metadata(): Promise<{ readonly summary: string; readonly details: string; readonly current: string }> {
    await this.tab('User Metadata');
    // Current details are asked of a worker, and empty until it has answered.
    await this.page.locator('iframe').nth(2).and(this.page.locator('iframe:not([src*="content=&"])')).waitFor();
    const frames = this.page.locator('iframe');
    const [summary = '', details = '', current = ''] = await Promise.all(
      [0, 1, 2].map((index) => frames.nth(index).contentFrame().locator('main').innerText()),
    );
    return { summary: summary.trim(), details: details.trim(), current: current.trim() };
  }

  /** Name → value, as on the page. */
  async searchAttributes(): Promise<Readonly<Record<string, unknown>>> {
    await this.tab('Search Attributes');
    const text = await this.page.getByRole('textbox', { name: 'Search Attributes' }).innerText();
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  }

  /**
   * Keeps a picture of the page, so many pixels high: for the documentation where MILLWRIGHT_SCREENSHOTS is set, else
   * with the stack's logs.
   */
  async keepPicture(name: string, height = VIEWPORT.height): Promise<void> {
    const folder =
      process.env['MILLWRIGHT_SCREENSHOTS'] === undefined ? join(getStack().stateDir, 'screenshots') : DOCS_IMAGES;
    await mkdir(folder, { recursive: true });
    await this.page.setViewportSize({ ...VIEWPORT, height });
    await this.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    await this.page.setViewportSize(VIEWPORT);
  }

  private async tab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name }).or(this.page.getByRole('link', { name })).first().click();
  }

  private address(path: string): string {
    const { uiUrl, namespace } = getStack().temporal;
    return `${uiUrl}/namespaces/${namespace}/${path}`;
  }
}
