played"
n0
boot of n0(*
tracepointP€ĞÛÃôXĞßÛÃô`Š	ethn0¸`Â
n0n0