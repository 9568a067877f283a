import { Watch } from '../../k8s/kubernetes-client.ts';
import type { ObjectWatch } from './object-source.ts';

/** Reports what fails before the request is sent as well; the informer would take it for an unhandled rejection. */
export class ReportingWatch extends Watch implements ObjectWatch {
  override async watch(...[path, query, onEvent, done]: Parameters<Watch['watch']>): Promise<AbortController> {
    try {
      return await super.watch(path, query, onEvent, done);
    } catch (error) {
      done(error);
      return new AbortController();
    }
  }
}
