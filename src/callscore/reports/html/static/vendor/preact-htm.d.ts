/** What is used of Preact and htm. The templates of htm are not checked. */
export type Node = unknown;
export function h(type: unknown, properties?: object | null, ...children: unknown[]): Node;
export function html(strings: TemplateStringsArray, ...values: unknown[]): Node;
export function render(node: Node, parent: Element): void;
export function useState<T>(initial: T | (() => T)): [T, (value: T | ((before: T) => T)) => void];
export function useReducer<T, A>(reduce: (state: T, action: A) => T, initial: T): [T, (action: A) => void];
export function useEffect(effect: () => void | (() => void), inputs?: unknown[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: unknown[]): void;
export function useRef<T>(initial: T): { current: T };
export function useMemo<T>(make: () => T, inputs: unknown[]): T;
export function useCallback<T>(function_: T, inputs: unknown[]): T;
export function useErrorBoundary(handle?: (error: unknown) => void): [unknown, () => void];
