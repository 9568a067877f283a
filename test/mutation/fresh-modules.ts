import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What stands in for `@jest/globals` where Jest does not run. */
const GLOBALS = new URL('test-globals.ts', import.meta.url).href;

/**
 * Loads the modules of a folder as often as one of them changes. What does not import that one, and the packages, stay as they
 * are: to load all of it takes a hundred times longer than most tests.
 */
export class FreshModules {
  readonly #folder: string;
  /** Who imports each module, by its address. */
  readonly #importers = new Map<string, Set<string>>();
  readonly #withoutTypes = new Map<string, string>();
  /** The modules that a changed one makes new, and those that were made so before. */
  #fresh: ReadonlySet<string> = new Set();
  #changed = { module: '', source: '' };
  #changes = 0;

  constructor(folder: string) {
    this.#folder = pathToFileURL(`${folder}/`).href;
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
        const found = next(specifier, context);
        const module = this.#moduleOf(found.url);
        if (module === undefined) return found;
        this.#learn(module, context.parentURL);
        return this.#fresh.has(module) ? { ...found, url: this.#addressOf(module) } : found;
      },
      load: (url, context, next) => {
        const module = this.#moduleOf(url);
        if (module === undefined) return next(url, context);
        const source = url === module ? this.#sourceOf(module) : this.#changedSourceOf(module);
        return { format: 'module', source, shortCircuit: true };
      },
    });
  }

  /** Loads it as it is, which shows who imports whom. */
  async load(path: string): Promise<void> {
    await import(this.#at(path));
  }

  /** From now on the file has this source. */
  change(path: string, source: string): void {
    const module = this.#at(path);
    this.#changed = { module, source };
    this.#changes += 1;
    const fresh = new Set([module]);
    for (const one of fresh) for (const importer of this.#importers.get(one) ?? []) fresh.add(importer);
    this.#fresh = fresh;
  }

  /** Loads it with what was changed last. */
  async loadChanged(path: string): Promise<void> {
    await import(this.#addressOf(this.#at(path)));
  }

  #at(path: string): string {
    return new URL(path, this.#folder).href;
  }

  #addressOf(module: string): string {
    return `${module}?change=${this.#changes}`;
  }

  /** The address of what lies in the folder, without what was added to it. */
  #moduleOf(url: string): string | undefined {
    const [module = ''] = url.split('?');
    return module.startsWith(this.#folder) && module.endsWith('.ts') ? module : undefined;
  }

  #learn(module: string, importer: string | undefined): void {
    const known = this.#importers.get(module) ?? new Set();
    this.#importers.set(module, known.add(this.#moduleOf(importer ?? '') ?? ''));
  }

  #changedSourceOf(module: string): string {
    const { module: changed, source } = this.#changed;
    return module === changed ? stripTypeScriptTypes(source) : this.#sourceOf(module);
  }

  #sourceOf(module: string): string {
    const known = this.#withoutTypes.get(module) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(module), 'utf8'));
    this.#withoutTypes.set(module, known);
    return known;
  }
}
