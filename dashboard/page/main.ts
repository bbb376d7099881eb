/** The page of `rollcall dashboard`. */
import './page.ts';
