import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import webpack from 'webpack';

const USED = ['HttpMethod', 'KubeConfig', 'ListWatch', 'RequestContext', 'Watch'];

/** Bundles what `kubernetes-client.ts` takes of @kubernetes/client-node, and nothing that this does not need. */
export async function bundleClient(file: string): Promise<void> {
  const compiler = webpack({
    mode: 'production',
    target: 'node24',
    context: import.meta.dirname,
    entry: `data:text/javascript,export { ${USED.join(', ')} } from '@kubernetes/client-node';`,
    output: {
      path: dirname(file),
      filename: basename(file),
      module: true,
      chunkFormat: 'module',
      library: { type: 'module' },
    },
    experiments: { outputModule: true },
    // Requests are sent by the same library as those of our own client.
    externals: { undici: 'module undici' },
    // Most modules of the library declare a class each, and do nothing else.
    module: { rules: [{ test: /[\\/]@kubernetes[\\/]client-node[\\/]/, sideEffects: false }] },
    optimization: { minimize: false },
    devtool: false,
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  if (stats?.hasErrors() === true) {
    throw new Error(`@kubernetes/client-node was not bundled: ${stats.toString({ all: false, errors: true })}`);
  }
}
